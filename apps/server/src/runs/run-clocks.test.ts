import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import type { AgentLink } from '../testbed/agent-link.ts';
import { type DeviceClocks, needsMirror, RunClocks } from './run-clocks.ts';

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
    whenDelivered: () => Promise.resolve(true),
    async exchangeClock() {
      state.exchanges += 1;
      const t0Us = state.exchanges * 1e6;
      const t1Us = t0Us + state.outUs + state.aheadUs;
      return { t0Us, t1Us, t2Us: t1Us + 5, t3Us: t0Us + state.outUs + 5 + state.backUs };
    },
  };
  return { link, state };
}

describe('the clocks of a run', () => {
  it('are compared before and after, once for each kernel, and never with the own one', async () => {
    const broker = makeLink({ deviceId: 'b', bootId: 'here', aheadUs: 0, outUs: 10, backUs: 10 });
    const publisher = makeLink({ deviceId: 'p', bootId: 'pi', aheadUs: 5000, outUs: 100, backUs: 100 });
    const subscriber = makeLink({ deviceId: 's', bootId: 'pi', aheadUs: 5000, outUs: 900, backUs: 20 });
    const links = [broker.link, publisher.link, subscriber.link];
    const told: DeviceClocks[] = [];
    const clocks = new RunClocks({ links, bootId: 'here', onCompared: (known) => told.push(known) });
    const before = await clocks.compareBefore();
    expect(Object.fromEntries(before)).toEqual({
      b: { offsetUs: 0, uncertaintyUs: 0 },
      p: { offsetUs: -5000, uncertaintyUs: 100 },
      s: { offsetUs: -5000, uncertaintyUs: 100 },
    });
    expect([broker.state.exchanges, subscriber.state.exchanges]).toEqual([0, 0]);
    expect(told[0]?.get('p')).toEqual({ before: before.get('p'), after: null });
    publisher.state.aheadUs = 5040;
    await clocks.compareAfter();
    expect(told[1]?.get('p')).toEqual({
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
