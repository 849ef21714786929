import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { nameOf } from '../evidence/evidence.ts';

export const collectorsWorked: VerdictDefinition = {
  id: 'collectors-worked',
  label: 'All collectors worked',
  fault: 'A collector failed',
  remedy: 'Check the run page to see which collector failed, then run again.',
  judge: ({ results }) => {
    const broken = results.flatMap((result) =>
      result.degraded.map((entry) => `${nameOf(result)}: ${entry.collector}, ${entry.reason}`),
    );
    return broken.length === 0
      ? { status: 'passed', evidence: `${results.length} devices reported in full` }
      : { status: 'failed', evidence: broken.join('; ') };
  },
};
