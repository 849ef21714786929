import type { Plan } from '@mqttlab/shared/domain/plans/plan';

export interface PreviewBlock {
  number: number;
  trials: { number: number; treatmentKey: string; mark: number; shortLabel: string }[];
  /** Trials of this block that are not shown. */
  more: number;
}

const shownBlocks = 3;
const shownTrials = 12;

/** The first trials of the first blocks of a plan. */
export function previewOrder(plan: Plan): { blocks: PreviewBlock[]; moreBlocks: number } {
  const byKey = new Map(plan.treatments.map((treatment) => [treatment.key, treatment]));
  const size = plan.treatments.length;
  const count = Math.min(shownBlocks, plan.repetitions);
  const perBlock = Math.min(shownTrials, size);
  const blocks = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    trials: plan.trials.slice(index * size, index * size + perBlock).map(({ number, treatmentKey }) => {
      const treatment = byKey.get(treatmentKey);
      return {
        number,
        treatmentKey,
        mark: treatment?.mark ?? 1,
        shortLabel: treatment?.shortLabel ?? treatmentKey,
      };
    }),
    more: size - perBlock,
  }));
  return { blocks, moreBlocks: plan.repetitions - count };
}
