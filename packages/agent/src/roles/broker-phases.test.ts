import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../load/pacing/clock.ts';
import { BrokerPhases } from './broker-role.ts';

/** Phases that start now and measure for a minute. */
function startPhases() {
  const phases = new BrokerPhases({
    clock: systemClock,
    offset: { offsetUs: 0, uncertaintyUs: 0 },
    cpu: null,
    onPhase: () => {},
  });
  const nowUs = systemClock.nowUs();
  phases.start({
    kind: 'start',
    warmUpAtUs: nowUs,
    measureAtUs: nowUs + 20_000,
    stopAtUs: nowUs + 60_000_000,
  });
  return phases;
}

const namesOf = (records: ReturnType<BrokerPhases['stop']>) => records.map(({ phase }) => phase);

test('a load that ends early ends the measure phase', async () => {
  const phases = startPhases();
  await wait(150);
  phases.drain();
  phases.drain();
  await wait(50);
  const records = phases.stop();
  expect(namesOf(records)).toEqual(['warm-up', 'measure', 'drain']);
  const [, measure, drain] = records;
  expect(drain?.startUs).toBeGreaterThanOrEqual((measure?.startUs ?? 0) + (measure?.durationUs ?? 0));
  expect(drain?.durationUs).toBeGreaterThan(30_000);
});

test('the drain never starts before the measure phase', () => {
  const phases = startPhases();
  phases.drain();
  expect(namesOf(phases.stop())).not.toContain('drain');
});
