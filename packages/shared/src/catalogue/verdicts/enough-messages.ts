import type { VerdictDefinition } from '../../domain/verdict.ts';
import { latencyOf } from '../evidence.ts';
import { enoughFor } from '../metrics/latency.ts';

export const enoughMessages: VerdictDefinition = {
  id: 'enough-messages',
  label: 'Enough messages',
  judge: (evidence) => {
    const count = latencyOf(evidence)?.count ?? 0;
    const good = [99.9, 99, 95, 50].find((p) => count >= enoughFor(p));
    return good === undefined
      ? {
          status: 'failed',
          evidence: `${count} with latency, too few even for the median (${enoughFor(50)})`,
        }
      : { status: 'passed', evidence: `${count} with latency, good for quantiles up to P${good}` };
  },
};
