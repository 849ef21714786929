import * as z from 'zod';
import { rate } from '../catalogue/factors/rate.ts';
import { readingsPerMessage } from '../catalogue/factors/readings-per-message.ts';
import type { ExperimentDraft } from '../domain/experiment-draft.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import type { TestbedView } from '../domain/testbed-view.ts';
import { chosenLevels } from './expand-treatments.ts';

/** As the specification of a Trial has them. */
const ranges = z.object({
  workload: z.object({
    connections: z.int().min(1).max(100_000),
    burstOnMs: z.int().min(1).max(3_600_000),
    burstOffMs: z.int().min(0).max(3_600_000),
  }),
});

const remedies: Readonly<Record<string, string>> = {
  'workload.connections': 'Choose 1 to 100,000 connections.',
  'workload.burstOnMs': 'Choose 1 to 3,600,000 ms.',
  'workload.burstOffMs': 'Choose 0 to 3,600,000 ms.',
};

/** Checks of what only some kinds of workload look at: their bounds, and what contradicts them. */
export function checkWorkload(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const parsed = ranges.safeParse(draft);
  const outside = (parsed.success ? [] : issuesOf(parsed.error)).map((issue) => ({
    ...issue,
    remedy: remedies[issue.field] ?? issue.remedy,
  }));
  return outside.length === 0 && draft.workload.kind === 'burst' ? checkBursts(draft, testbed) : outside;
}

/** Bursts need a rate, and time for one message at least. */
function checkBursts(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const rates = chosenLevels(draft, rate, testbed);
  const unpaced = rates.indexOf('max');
  if (unpaced >= 0) {
    return [
      {
        field: `factors.rate[${unpaced}]`,
        reason: 'bursts at "as fast as possible" have no rate to keep to while they are on',
        remedy: 'Choose a rate, or a stream as workload.',
      },
    ];
  }
  const slowest = Math.min(...rates.map(Number));
  const batch = Math.max(...chosenLevels(draft, readingsPerMessage, testbed).map(Number));
  const periodMs = (1000 * batch) / slowest;
  const { burstOnMs } = draft.workload;
  if (periodMs <= burstOnMs) return [];
  return [
    {
      field: 'workload.burstOnMs',
      reason: `at ${slowest} readings/s and ${batch} a message a message takes ${Math.ceil(periodMs)} ms, longer than a burst`,
      remedy: `Choose bursts of at least ${Math.ceil(periodMs)} ms, a higher rate or fewer readings per message.`,
    },
  ];
}
