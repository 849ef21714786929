import { expect, it } from 'vitest';
import type { RunEvidence } from '../../domain/runs/metric.ts';
import { makeEvidence } from '../../testing/factories.ts';
import { summariseMetrics } from '../metrics.ts';
import { startSkew } from './start-skew.ts';

/** Each device begins so many µs late; every second one on a machine of its own. */
function makeStarts(lateUs: readonly number[], ownMachine: boolean): RunEvidence {
  const evidence = makeEvidence();
  const clock = {
    before: { offsetUs: 5e6, uncertaintyUs: 40 },
    after: { offsetUs: 5e6 + 100, uncertaintyUs: 30 },
  };
  return {
    ...evidence,
    results: evidence.results.map((result, i) => ({
      ...result,
      ...(ownMachine && i > 0
        ? { clock, environment: { ...result.environment, 'device.bootId': `boot-${i + 1}` } }
        : {}),
      phases: result.phases.map((record) =>
        record.phase === 'measure' ? { ...record, startUs: 1e6 + (lateUs[i] ?? 0) } : record,
      ),
    })),
  };
}

it('is the time from the first device to the last, with the bound of their clocks', () => {
  expect(startSkew(makeStarts([300, 0, 1200], false))).toEqual({
    skewUs: 1200,
    boundUs: 0,
    first: 'publisher',
    last: 'subscriber',
  });
  expect(startSkew(makeStarts([300, 0, 1200], true))).toMatchObject({ skewUs: 1200, boundUs: 260 });
  expect(startSkew(makeStarts([0, 1, 1200], true))).toMatchObject({ boundUs: 130 });
  expect(summariseMetrics(makeStarts([300, 0, 1200], false))['start.skew']).toBe(1.2);
});

it('is nothing where one device measured alone, and unbounded where clocks were not compared', () => {
  const all = makeStarts([0, 10, 20], true);
  expect(startSkew({ results: all.results.slice(0, 1) })).toBeNull();
  const unknown = all.results.map((result) => ({ ...result, clock: null }));
  expect(startSkew({ results: unknown })?.boundUs).toBeNull();
});
