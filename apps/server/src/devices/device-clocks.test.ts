import { type ClockSample, clockOffsetOf } from '@mqttlab/shared/statistics/estimates/clock-offset';
import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import type { AgentLink } from './agent-link.ts';
import {
  type DeviceClocks,
  joinClocks,
  measureClockOffset,
  monotonicUs,
  needsMirror,
  RunClocks,
  readBootId,
} from './device-clocks.ts';

/** A device whose clock is `skewUs` ahead of the testbed's. */
function sample(options: { skewUs: number; thereUs: number; backUs: number; atUs?: number }): ClockSample {
  const t0Us = options.atUs ?? 1_000;
  const t1Us = t0Us + options.thereUs + options.skewUs;
  const t2Us = t1Us + 40;
  return { t0Us, t1Us, t2Us, t3Us: t2Us - options.skewUs + options.backUs };
}

describe('clockOffsetOf', () => {
  it('is exact when both ways take the same time', () => {
    expect(clockOffsetOf([sample({ skewUs: 5_000, thereUs: 100, backUs: 100 })])).toEqual({
      offsetUs: -5_000,
      uncertaintyUs: 100,
    });
  });

  it('trusts the sample with the least delay', () => {
    const offset = clockOffsetOf([
      sample({ skewUs: 7, thereUs: 9_000, backUs: 100 }),
      sample({ skewUs: 7, thereUs: 60, backUs: 40 }),
      sample({ skewUs: 7, thereUs: 100, backUs: 4_000 }),
    ]);
    expect(offset).toEqual({ offsetUs: -17, uncertaintyUs: 50 });
  });

  it('always has the true offset within its uncertainty', () => {
    const way = fc.integer({ min: 1, max: 1_000_000 });
    const skew = fc.integer({ min: -1e12, max: 1e12 });
    fc.assert(
      fc.property(skew, fc.array(fc.tuple(way, way), { minLength: 1, maxLength: 16 }), (skewUs, ways) => {
        const samples = ways.map(([thereUs, backUs]) => sample({ skewUs, thereUs, backUs }));
        const { offsetUs, uncertaintyUs } = clockOffsetOf(samples);
        return Math.abs(offsetUs + skewUs) <= uncertaintyUs + 1e-6;
      }),
    );
  });
});

describe('measureClockOffset', () => {
  const linkOf = (bootId: string, exchangeClock: AgentLink['exchangeClock']) =>
    ({ deviceId: 'd', capabilities: { bootId }, exchangeClock }) as unknown as AgentLink;

  it('sends no requests to a device of the same boot', async () => {
    const link = linkOf('here', () => Promise.reject(new Error('asked')));
    expect(await measureClockOffset(link, 'here')).toEqual({ offsetUs: 0, uncertaintyUs: 0 });
  });

  it('sends a dozen requests to another machine', async () => {
    let asked = 0;
    const link = linkOf('there', async () => {
      asked += 1;
      return sample({ skewUs: 1_000_000, thereUs: 500 - asked, backUs: 500 - asked });
    });
    expect(await measureClockOffset(link, 'here')).toEqual({ offsetUs: -1_000_000, uncertaintyUs: 488 });
    expect(asked).toBe(12);
  });

  it('never treats two unknown boots as the same', async () => {
    const link = linkOf('', async () => sample({ skewUs: 8, thereUs: 2, backUs: 2 }));
    expect((await measureClockOffset(link, '')).uncertaintyUs).toBe(2);
  });
});

it('reads the clock and the boot of this machine', () => {
  const first = monotonicUs();
  expect(monotonicUs()).toBeGreaterThanOrEqual(first);
  expect(readBootId()).toMatch(/^[0-9a-f-]{36}$/);
});

/** A device whose clock is `aheadUs` ahead of the server, over a path that takes `outUs` and `backUs`. */
function makeLink(device: {
  deviceId: string;
  bootId: string;
  aheadUs: number;
  outUs: number;
  backUs: number;
}) {
  const state = { ...device, exchanges: 0 };
  const link: AgentLink = {
    deviceId: device.deviceId,
    capabilities: makeCapabilities('publisher', { bootId: device.bootId }),
    command: () => Promise.reject(new Error('no commands here')),
    collectResults: () => Promise.resolve(true),
    async exchangeClock() {
      state.exchanges += 1;
      const t0Us = state.exchanges * 1e6;
      const t1Us = t0Us + state.outUs + state.aheadUs;
      return { t0Us, t1Us, t2Us: t1Us + 5, t3Us: t0Us + state.outUs + 5 + state.backUs };
    },
  };
  return { link, state };
}

describe('joinClocks', () => {
  const one = { before: { offsetUs: 100, uncertaintyUs: 5 }, after: { offsetUs: 110, uncertaintyUs: 6 } };
  const other = { before: { offsetUs: -30, uncertaintyUs: 2 }, after: { offsetUs: -31, uncertaintyUs: 3 } };

  it('adds offsets and bounds of a device compared through another one', () => {
    expect(joinClocks(one, other)).toEqual({
      before: { offsetUs: 70, uncertaintyUs: 7 },
      after: { offsetUs: 79, uncertaintyUs: 9 },
    });
    expect(joinClocks({ ...one, after: null }, other)?.after).toBeNull();
  });

  it('falls back to the record of the server for a device without a report', () => {
    expect(joinClocks(null, other)).toBe(other);
    expect(joinClocks(one, null)).toBeNull();
  });
});

describe('the clocks of a run', () => {
  it('are compared before and after, once for each kernel, and never with the server itself', async () => {
    const broker = makeLink({ deviceId: 'b', bootId: 'here', aheadUs: 0, outUs: 10, backUs: 10 });
    const publisher = makeLink({ deviceId: 'p', bootId: 'pi', aheadUs: 5000, outUs: 100, backUs: 100 });
    const subscriber = makeLink({ deviceId: 's', bootId: 'pi', aheadUs: 5000, outUs: 900, backUs: 20 });
    const links = [broker.link, publisher.link, subscriber.link];
    const published: DeviceClocks[] = [];
    const clocks = new RunClocks({ links, bootId: 'here', onCompared: (known) => published.push(known) });
    const before = await clocks.compareBefore();
    expect(Object.fromEntries(before)).toEqual({
      b: { offsetUs: 0, uncertaintyUs: 0 },
      p: { offsetUs: -5000, uncertaintyUs: 100 },
      s: { offsetUs: -5000, uncertaintyUs: 100 },
    });
    expect([broker.state.exchanges, subscriber.state.exchanges]).toEqual([0, 0]);
    expect(published[0]?.get('p')).toEqual({ before: before.get('p'), after: null });
    publisher.state.aheadUs = 5040;
    await clocks.compareAfter();
    expect(published[1]?.get('p')).toEqual({
      before: before.get('p'),
      after: { offsetUs: -5040, uncertaintyUs: 100 },
    });
    expect(needsMirror([publisher.link], [subscriber.link])).toBe(false);
    expect(needsMirror([publisher.link, broker.link], [subscriber.link])).toBe(true);
  });

  it('bound an unequal path: the true offset lies within the uncertainty', async () => {
    const far = makeLink({ deviceId: 'p', bootId: 'pi', aheadUs: 0, outUs: 20, backUs: 40_000 });
    const clocks = await new RunClocks({ links: [far.link], bootId: 'here' }).compareBefore();
    const { offsetUs, uncertaintyUs } = clocks.get('p') ?? { offsetUs: 0, uncertaintyUs: -1 };
    expect(Math.abs(offsetUs)).toBeLessThanOrEqual(uncertaintyUs);
    expect(uncertaintyUs).toBe(20_010);
  });
});
