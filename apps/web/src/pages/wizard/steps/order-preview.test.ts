import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { previewOrder } from './order-preview.tsx';

function planOf(change: Parameters<typeof makeDraft>[0]) {
  const parsed = parsePlan(makeDraft(change), makeTestbed());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.plan;
}

describe('previewOrder', () => {
  it('shows every treatment once in each of the first blocks, in the order of the plan', () => {
    const plan = planOf({ repetitions: 5 });
    const { blocks, moreBlocks } = previewOrder(plan);
    expect(blocks.map((block) => block.number)).toEqual([1, 2, 3]);
    expect(moreBlocks).toBe(2);
    for (const block of blocks) {
      expect(new Set(block.trials.map((trial) => trial.treatmentKey)).size).toBe(plan.treatments.length);
    }
    expect(blocks.flatMap((block) => block.trials.map((trial) => trial.treatmentKey))).toEqual(
      plan.trials.slice(0, 18).map((trial) => trial.treatmentKey),
    );
  });

  it('truncates long blocks and counts the rest', () => {
    const plan = planOf({
      factors: { readingBytes: Array.from({ length: 30 }, (_, i) => 20 + i) },
      repetitions: 1,
    });
    const { blocks, moreBlocks } = previewOrder(plan);
    expect(blocks).toHaveLength(1);
    expect(blocks[0]?.trials).toHaveLength(12);
    expect(blocks[0]?.more).toBe(18);
    expect(moreBlocks).toBe(0);
  });
});
