import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentLink, ClockSample } from './agent-link.ts';
import { clockOffsetOf, measureClockOffset, monotonicUs, readBootId } from './clock-offset.ts';

/** A device whose clock shows `skewUs` more than the testbed's. */
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

  it('always holds the true offset within its uncertainty', () => {
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

  it('asks nothing of a device of the same boot', async () => {
    const link = linkOf('here', () => Promise.reject(new Error('asked')));
    expect(await measureClockOffset(link, 'here')).toEqual({ offsetUs: 0, uncertaintyUs: 0 });
  });

  it('asks another machine a dozen times', async () => {
    let asked = 0;
    const link = linkOf('there', async () => {
      asked += 1;
      return sample({ skewUs: 1_000_000, thereUs: 500 - asked, backUs: 500 - asked });
    });
    expect(await measureClockOffset(link, 'here')).toEqual({ offsetUs: -1_000_000, uncertaintyUs: 488 });
    expect(asked).toBe(12);
  });

  it('never takes two unknown boots for the same', async () => {
    const link = linkOf('', async () => sample({ skewUs: 8, thereUs: 2, backUs: 2 }));
    expect((await measureClockOffset(link, '')).uncertaintyUs).toBe(2);
  });
});

it('reads the clock and the boot of this machine', () => {
  const first = monotonicUs();
  expect(monotonicUs()).toBeGreaterThanOrEqual(first);
  expect(readBootId()).toMatch(/^[0-9a-f-]{36}$/);
});
