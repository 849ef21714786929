import { describe, expect, it } from 'vitest';

import type { Security } from '../domain/plans/trial-spec.ts';
import type { RunEvidence } from '../domain/runs/verdict.ts';
import { changeRole, makeEvidence } from '../testing/evidence.ts';
import { makeTrialSpec } from '../testing/factories.ts';
import { constant } from '../testing/failing-runs.ts';
import { failedIds, isFlaggedForId } from './flags.ts';
import { metrics } from './metrics.ts';
import { judgeRun } from './verdicts.ts';

describe('a failed verdict', () => {
  it.each([
    ['device-idle', 'latency.p50', true],
    ['device-idle', 'wire.perMessage', false],
    ['device-idle', 'payload.expansion', false],
    ['kept-schedule', 'latency.p50', true],
    ['kept-schedule', 'wire.perMessage', false],
    ['separate-records', 'wire.perMessage', true],
    ['separate-records', 'wire.overhead', true],
    ['separate-records', 'count.lost', false],
    ['separate-records', 'setUp.bytes', false],
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

describe('a generator behind its schedule', () => {
  const failedOf = (evidence: RunEvidence, security: Security) =>
    failedIds(judgeRun({ ...evidence, spec: makeTrialSpec({ security }) }));
  const lateRun = (security: Security) => {
    const onTime = failedOf(makeEvidence(), security);
    const late = changeRole(makeEvidence(), 'publisher', { lateness: constant(9000, 50) });
    return { flagged: true, failed: failedOf(late, security).filter((id) => !onTime.includes(id)) };
  };

  it.each([
    ['plain', false],
    ['TLS 1.2', true],
    ['TLS 1.3', true],
  ] as const)('under %s leaves out bytes per message: %s', (security, expected) => {
    const run = lateRun(security);
    expect(isFlaggedForId(run, 'latency.p50')).toBe(true);
    expect(isFlaggedForId(run, 'wire.perMessage')).toBe(expected);
    expect(isFlaggedForId(run, 'wire.overhead')).toBe(expected);
    expect(isFlaggedForId(run, 'count.lost')).toBe(false);
  });
});
