import { describe, expect, it } from 'vitest';
import type { EnergyQuality } from '../domain/devices/capabilities.ts';
import type { Role } from '../domain/devices/device.ts';
import type { RunEvidence } from '../domain/runs/verdict.ts';
import { changeRole, makeEvidence } from '../testing/evidence.ts';
import { makeCounters, makeTrialSpec } from '../testing/factories.ts';
import { basesOf } from './definitions.ts';
import { summariseMetrics } from './metrics.ts';

interface Drawn {
  joules: number;
  baselineW?: number | null;
  quality?: EnergyQuality;
  bootId?: string;
  volts?: number | null;
  battery?: number | null;
}

/** A valid run of 10 s whose roles used the given energy. */
function withEnergy(drawn: Partial<Record<Role, Drawn>>): RunEvidence {
  return Object.entries(drawn).reduce((evidence, [role, own]) => {
    const {
      joules,
      baselineW = 2,
      quality = 'modelled',
      bootId = 'boot-1',
      volts = null,
      battery = null,
    } = own;
    const before = evidence.results.find((result) => result.role === role);
    return changeRole(evidence, role as Role, {
      energy: {
        source: 's',
        quality,
        detail: '',
        baselineW,
        measureJ: joules,
        voltageV: volts,
        batteryMah: battery,
      },
      environment: { ...before?.environment, 'device.bootId': bootId },
    });
  }, makeEvidence());
}

const all = (own: Drawn) => ({ broker: own, publisher: own, subscriber: own });

describe('energy', () => {
  it('of one machine that plays every role counts once', () => {
    expect(summariseMetrics(withEnergy(all({ joules: 27 })))).toMatchObject({
      'energy.total': 27,
      'energyNet.total': 7,
      'power.total': expect.closeTo(2.7, 9),
      'current.total': expect.closeTo(540, 9),
      'charge.total': expect.closeTo(1.5, 9),
      'energyPerMessage.total': expect.closeTo(27, 9),
      'energyPerMessageNet.total': expect.closeTo(7, 9),
      'energy.publisher': 27,
      'energyNet.broker': 7,
      'power.subscriber': expect.closeTo(2.7, 9),
    });
  });

  it('of an external broker whose process is not named is not reported: it may run elsewhere', () => {
    const evidence = withEnergy(all({ joules: 27 }));
    const broker = evidence.results.find(({ role }) => role === 'broker');
    const unnamed = changeRole({ ...evidence, spec: makeTrialSpec({ broker: 'external' }) }, 'broker', {
      environment: { ...broker?.environment, 'process.pid': null },
    });
    const metrics = summariseMetrics(unnamed);
    expect(metrics['energy.publisher']).toBe(27);
    for (const id of ['energy.broker', 'power.broker', 'energy.total', 'energyPerMessage.total']) {
      expect(metrics[id], id).toBeNull();
    }
  });

  it('of a device with a battery includes the battery life', () => {
    // 27 J in 10 s at 5 V are 540 mA: 5400 mAh last ten hours.
    const evidence = withEnergy(all({ joules: 27, volts: 5, battery: 5400 }));
    expect(summariseMetrics(evidence)['batteryLife.publisher']).toBeCloseTo(10, 9);
    expect(summariseMetrics(withEnergy(all({ joules: 27 })))['batteryLife.publisher']).toBeNull();
  });

  it('of several machines is added up, each at the voltage of its supply', () => {
    const evidence = withEnergy({
      broker: { joules: 20, bootId: 'a', volts: 10 },
      publisher: { joules: 30, bootId: 'b' },
      subscriber: { joules: 30, bootId: 'b' },
    });
    expect(summariseMetrics(evidence)).toMatchObject({
      'energy.total': 50,
      'energyNet.total': 10,
      'charge.total': expect.closeTo(20 / 10 / 3.6 + 30 / 5 / 3.6, 9),
    });
  });

  it('has no total if a machine reports nothing, or if measured and modelled values are mixed', () => {
    const partly = withEnergy({ broker: { joules: 20, bootId: 'a' } });
    expect(summariseMetrics(partly)).toMatchObject({ 'energy.broker': 20, 'energy.total': null });
    const mixed = withEnergy({
      ...all({ joules: 10, bootId: 'a', quality: 'measured' }),
      publisher: { joules: 10, bootId: 'b' },
    });
    expect(summariseMetrics(mixed)).toMatchObject({ 'energy.total': null, 'charge.total': null });
    expect(basesOf(mixed)).toMatchObject({ energy: 'measured and modelled', latency: 'one-way' });
  });

  it('has no net figure without an idle baseline', () => {
    const evidence = withEnergy(all({ joules: 27, baselineW: null }));
    expect(summariseMetrics(evidence)).toMatchObject({ 'energy.total': 27, 'energyNet.total': null });
  });

  it('is reported per connection if connections are the load', () => {
    const evidence = changeRole(withEnergy(all({ joules: 27 })), 'publisher', {
      counters: makeCounters({ connectionsOpened: 100 }),
    });
    expect(summariseMetrics(evidence)['energyPerHandshake.total']).toBeCloseTo(70, 9);
  });
});
