import { describe, expect, it } from 'vitest';
import { workloadKinds } from '../domain/plans/workload.ts';
import { findMetric } from './metrics.ts';
import { answerPictureOf, answers, carriesMessages } from './workloads.ts';

const specOf = (
  workload: (typeof workloadKinds)[number],
  connectionUse: 'kept' | 'one per message' = 'kept',
) => ({ workload, connectionUse });

describe('the picture that results open with', () => {
  it('is there, of metrics of one unit, wherever no message is timed', () => {
    for (const kind of workloadKinds.filter((one) => !carriesMessages(one))) {
      const picture = answerPictureOf([specOf(kind), specOf(kind)]);
      expect(picture, kind).not.toBeNull();
      expect(findMetric(answers[kind]?.response ?? ''), kind).toBeDefined();
      if (!picture || picture.layout === 'over time') continue;
      const found = picture.parts.map(({ metric }) => findMetric(metric));
      expect(found).not.toContain(undefined);
      expect(new Set(found.map((metric) => metric?.unit)).size, kind).toBe(1);
    }
  });

  it('stacks the phases if each message has a separate connection', () => {
    const phases = answerPictureOf([specOf('handshake')]);
    expect(phases?.layout).toBe('stacked');
    expect(answerPictureOf([specOf('reconnect'), specOf('stream', 'one per message')])).toBe(phases);
    expect(answerPictureOf([specOf('stream'), specOf('stream', 'one per message')])).toBeNull();
    expect(answerPictureOf([specOf('handshake'), specOf('states')])).toBeNull();
    expect(answerPictureOf([])).toBeNull();
  });
});
