import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { noImpairment } from '@mqttlab/shared/domain/plans/impairment';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { makeCapabilities, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makeTestPlan } from '../testing/experiment-factory.ts';
import { checkCapabilities } from './check-devices.ts';

const wireless = { name: 'wlan0', kind: 'wifi' as const, address: '192.0.2.7', up: true };
const healthy: DeviceHealth = { unixMs: 0, diskFreeBytes: 9e9, cpuPercent: 3, throttling: [] };

function planOf(change: Partial<Plan['treatments'][number]['spec']> = {}): Plan {
  const plan = makeTestPlan();
  return {
    ...plan,
    treatments: plan.treatments.map((one) => ({ ...one, spec: { ...one.spec, ...change } })),
  };
}

function check(change: Partial<Parameters<typeof checkCapabilities>[0]> = {}) {
  const testbed: TestbedStatus = { ...makeTestbed(), busyWith: null };
  const [device] = testbed.devices;
  if (!device) throw new Error('no device');
  const verdicts = checkCapabilities({
    device,
    testbed,
    plan: planOf(),
    health: healthy,
    version: '0.1.0',
    capabilities: makeCapabilities('broker', { agentVersion: '0.1.0', throttlingSource: 'vcgencmd' }),
    ...change,
  });
  return (id: string) => verdicts.find((verdict) => verdict.id === id);
}

describe('checks of the capabilities of a device', () => {
  it('names an agent of another version, with a remedy', () => {
    expect(check()('version')?.status).toBe('passed');
    expect(check({ version: '0.2.0' })('version')).toMatchObject({
      status: 'warning',
      evidence: 'agent 0.1.0, server 0.2.0',
      remedy: expect.stringContaining('Upgrade'),
    });
  });

  it('looks for the interface of a named link on this device', () => {
    const testbed: TestbedStatus = { ...makeTestbed(), busyWith: null };
    const device = testbed.devices.find(({ role }) => role === 'broker');
    if (!device) throw new Error('no broker');
    const named = { ...testbed, links: [{ name: 'air', interfaces: { [device.deviceId]: 'wlan0' } }] };
    const on = (interfacesOf: (typeof wireless)[], health: DeviceHealth = healthy) =>
      check({
        device,
        testbed: named,
        plan: planOf({ link: 'air' }),
        health,
        capabilities: makeCapabilities('broker', { interfaces: interfacesOf }),
      })('link-air');
    expect(on([wireless])).toMatchObject({ status: 'passed', evidence: 'wlan0: wifi, 192.0.2.7' });
    expect(on([{ ...wireless, up: false }])).toMatchObject({
      status: 'failed',
      evidence: 'wlan0 is down or has no address',
    });
    const pulled = { ...healthy, interfaces: [{ ...wireless, up: false }] };
    expect(on([wireless], pulled)).toMatchObject({ status: 'failed' });
    expect(on([])).toMatchObject({ status: 'failed', evidence: 'there is no interface wlan0' });
  });

  it('uses the last report of the agent on disk and speed', () => {
    expect(check()('throttling')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('vcgencmd'),
    });
    const hot = { ...healthy, throttling: ['under-voltage'], diskFreeBytes: 1e6 };
    expect(check({ health: hot })('throttling')).toMatchObject({
      status: 'failed',
      evidence: 'under-voltage',
      remedy: expect.stringContaining('stronger supply'),
    });
    expect(check({ health: hot })('disk')?.status).toBe('failed');
    expect(check({ health: null })('throttling')?.status).toBe('not applicable');
    const mute = makeCapabilities('broker', { throttlingSource: null });
    expect(check({ capabilities: mute })('throttling')).toMatchObject({
      status: 'not applicable',
      evidence: 'this device does not report it',
    });
  });

  it('requires shaping only if a link is impaired, and names devices that cannot', () => {
    expect(check()('shaping')).toBeUndefined();
    const plan = planOf({ impairment: { ...noImpairment, lossPercent: 2 } });
    const withRefusals = (netem: string | null, nftables: string | null): TestbedStatus => ({
      ...makeTestbed(),
      busyWith: null,
      devices: makeTestbed().devices.map((device) => ({
        ...device,
        capabilities: device.capabilities && {
          ...device.capabilities,
          shaping: { networkStack: device.deviceId, refusals: { netem, nftables, tbf: null } },
        },
      })),
    });
    expect(check({ plan, testbed: withRefusals(null, null) })('shaping')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('netem for packets from the broker'),
    });
    expect(
      check({ plan, testbed: withRefusals('no CAP_NET_ADMIN', 'not installed') })('shaping'),
    ).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('cannot drop packets'),
      remedy: expect.stringMatching(/\w/),
    });
  });

  it('reports why the device of the broker cannot capture packets, if the plan requires it', () => {
    const of = (captureRefusal: string | null, plan = planOf({ options: { capture: 'full' } })) =>
      check({ plan, capabilities: makeCapabilities('broker', { captureRefusal }) })('capture');
    expect(of(null)).toMatchObject({ status: 'passed', evidence: 'at most 32 MiB per run' });
    expect(of('neither tcpdump nor dumpcap is installed')).toMatchObject({
      status: 'failed',
      evidence: 'neither tcpdump nor dumpcap is installed',
      remedy: expect.stringContaining('Install tcpdump'),
    });
    expect(of('neither tcpdump nor dumpcap is installed', planOf())).toBeUndefined();
  });

  it('fails a chosen energy source that is missing', () => {
    const chosen = makeCapabilities('broker', { energy: [], energyChoice: 'ina2xx' });
    expect(check({ capabilities: chosen })('energy')).toMatchObject({ status: 'failed' });
    const none = makeCapabilities('broker', { energy: [], energyChoice: null });
    expect(check({ capabilities: none })('energy')?.status).toBe('not applicable');
  });
});
