import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { nameOf } from '../evidence/evidence.ts';

export const collectorsWorked: VerdictDefinition = {
  id: 'collectors-worked',
  label: 'Every collector worked',
  fault: 'A collector failed',
  remedy: 'Read which collector failed on the page of the run, then run them again.',
  judge: ({ results }) => {
    const broken = results.flatMap((result) =>
      result.degraded.map((entry) => `${nameOf(result)}: ${entry.collector}, ${entry.reason}`),
    );
    return broken.length === 0
      ? { status: 'passed', evidence: `${results.length} devices reported in full` }
      : { status: 'failed', evidence: broken.join('; ') };
  },
};
