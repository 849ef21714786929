import { describe, expect, it } from 'vitest';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { type Impairment, noImpairment, type ShapingDriver } from '../domain/plans/impairment.ts';
import { makeCapabilities, makeTestbed } from '../testing/factories.ts';
import { delay } from './factors/delay.ts';
import { jitter } from './factors/jitter.ts';
import { loss } from './factors/loss.ts';
import { planShaping, type ShapingEnd } from './plan-shaping.ts';

const roles = ['broker', 'publisher', 'subscriber'] as const;

/** Devices with these drivers, by default each with a separate network stack. */
function makeEnds(drivers: readonly ShapingDriver[], stack?: string): ShapingEnd[] {
  const refusalOf = (driver: ShapingDriver) => (drivers.includes(driver) ? null : `no ${driver}`);
  const refusals = { netem: refusalOf('netem'), nftables: refusalOf('nftables'), tbf: refusalOf('tbf') };
  return roles.map((role) => ({
    id: `the-${role}`,
    name: `the ${role}`,
    role,
    shaping: { networkStack: stack ?? role, refusals },
  }));
}

/** "who: driver at where, flow, which interfaces" for each rule. */
function rulesOf(asked: Partial<Impairment>, ends: readonly ShapingEnd[]): string[] {
  const plan = planShaping({ ...noImpairment, ...asked }, ends);
  if (!plan.ok) return [`refused: ${plan.refusal.reason}`];
  return [...plan.orders].flatMap(([id, { rules }]) =>
    rules.map(({ driver, at, flow, overLink, overLoopback }) => {
      const interfaces = [...(overLink ? ['link'] : []), ...(overLoopback ? ['lo'] : [])].join('+');
      return `${id}: ${driver} at ${at}, ${flow}, ${interfaces}`;
    }),
  );
}

describe('who puts what on', () => {
  it('is no device if there is no impairment', () => {
    expect(rulesOf({}, makeEnds([]))).toEqual([]);
  });

  it('drops by nftables where packets arrive, so that TCP does not know', () => {
    expect(rulesOf({ lossPercent: 2 }, makeEnds(['nftables', 'tbf']))).toEqual([
      'the-broker: nftables at input, towards the broker, link',
      'the-publisher: nftables at input, from the broker, link',
      'the-subscriber: nftables at input, from the broker, link',
    ]);
  });

  it('limits the rate where packets leave', () => {
    expect(rulesOf({ rateMbit: 1, direction: 'towards the broker' }, makeEnds(['tbf']))).toEqual([
      'the-publisher: tbf at egress, towards the broker, link',
      'the-subscriber: tbf at egress, towards the broker, link',
    ]);
  });

  it('takes netem for all of it where every sender has it', () => {
    expect(rulesOf({ lossPercent: 1, delayMs: 5 }, makeEnds(['netem', 'nftables', 'tbf']))).toEqual([
      'the-publisher: netem at egress, towards the broker, link',
      'the-subscriber: netem at egress, towards the broker, link',
      'the-broker: netem at egress, from the broker, link',
    ]);
  });

  it('lets one agent act for all that share its interfaces', () => {
    expect(rulesOf({ lossPercent: 1, rateMbit: 2 }, makeEnds(['nftables', 'tbf'], 'one'))).toEqual([
      'the-broker: nftables at input, towards the broker, lo',
      'the-broker: tbf at egress, towards the broker, lo',
      'the-broker: nftables at input, from the broker, lo',
      'the-broker: tbf at egress, from the broker, lo',
    ]);
  });

  it('minds both interfaces where only one client shares the device of the broker', () => {
    const ends = makeEnds(['nftables', 'tbf']).map((end) =>
      end.role === 'publisher' && end.shaping
        ? { ...end, shaping: { ...end.shaping, networkStack: 'broker' } }
        : end,
    );
    expect(rulesOf({ rateMbit: 2 }, ends)).toEqual([
      'the-broker: tbf at egress, towards the broker, lo',
      'the-broker: tbf at egress, from the broker, link+lo',
      'the-subscriber: tbf at egress, towards the broker, link',
    ]);
  });

  it('is refused in the words of the device that cannot', () => {
    expect(rulesOf({ delayMs: 5 }, makeEnds(['nftables', 'tbf']))).toEqual([
      'refused: this testbed cannot delay packets (the publisher, netem: no netem)',
    ]);
    expect(rulesOf({ lossPercent: 5 }, makeEnds(['tbf']))[0]).toMatch(
      /cannot drop packets \(the broker, nftables: no nftables/,
    );
    const old = makeEnds(['nftables']).map((end) => ({ ...end, shaping: null }));
    expect(rulesOf({ lossPercent: 5 }, old)[0]).toMatch(/its agent does not support it/);
  });
});

describe('the wizard', () => {
  const view = makeTestbedView(makeTestbed());

  it('offers loss and strikes delay out where there is no netem, with the reason and what would help', () => {
    expect(loss.options(view).every(({ refusal }) => refusal === null)).toBe(true);
    const refused = delay.options(view).filter(({ refusal }) => refusal !== null);
    expect(refused.map(({ value }) => value)).toEqual([10, 50, 100, 300]);
    expect(refused[0]?.refusal?.reason).toMatch(/the kernel has no netem/);
    // Where nothing can wait, not even a jitter of 0 means anything.
    expect(jitter.options(view).every(({ refusal }) => refusal !== null)).toBe(true);
  });

  it('says what to do where the agent has no rights', () => {
    const shaping = {
      networkStack: 'a',
      refusals: {
        netem: 'the agent lacks CAP_NET_ADMIN',
        nftables: 'the agent lacks CAP_NET_ADMIN',
        tbf: 'the agent lacks CAP_NET_ADMIN',
      },
    };
    const { devices, ...rest } = makeTestbed();
    const weak = devices.map((device) => ({
      ...device,
      capabilities: makeCapabilities(device.role, { shaping }),
    }));
    const refusal = loss.refuse(2, {}, makeTestbedView({ ...rest, devices: weak }));
    expect(refusal?.remedy).toMatch(/as root .* CAP_NET_ADMIN/);
  });

  it.each([
    [{ broker: 'external' }, /external broker/],
    [{ topology: 're-encrypting bridge' }, /two links/],
  ])('refuses it with %o', (levels, reason) => {
    expect(loss.refuse(2, levels, view)?.reason).toMatch(reason);
    expect(loss.refuse(0, levels, view)).toBeNull();
  });
});
