import { describe, expect, it } from 'vitest';
import { isFlaggedForId } from './flags.ts';
import { metrics } from './metrics.ts';

describe('a failed verdict', () => {
  it.each([
    ['device-idle', 'latency.p50', true],
    ['device-idle', 'wire.perMessage', false],
    ['device-idle', 'payload.expansion', false],
    ['backlog-steady', 'latency.p95', true],
    ['backlog-steady', 'rate.messages', false],
    ['clock-good-enough', 'latency.p50', true],
    ['clock-good-enough', 'connection.tls.p50', false],
    ['negotiated-as-asked', 'wire.perMessage', true],
    ['no longer known', 'wire.perMessage', true],
  ])('%s leaves %s out: %s', (verdict, metric, expected) => {
    expect(metrics.map(({ id }) => id)).toContain(metric);
    expect(isFlaggedForId({ flagged: true, failed: [verdict] }, metric)).toBe(expected);
  });

  it('leaves everything out where it is not known which one failed', () => {
    expect(isFlaggedForId({ flagged: true }, 'wire.perMessage')).toBe(true);
    expect(isFlaggedForId({ flagged: false, failed: [] }, 'latency.p50')).toBe(false);
  });
});
