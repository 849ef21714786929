import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { measureClockOffset } from '../../testbed/device-clocks.ts';
import { checkCapabilities } from './check-capabilities.ts';
import {
  type CheckedDevice,
  type DeviceVerdict,
  failed,
  notApplicable,
  type PreflightCheck,
  type PreflightDependencies,
  passed,
  warned,
} from './preflight-check.ts';

interface DeviceCheck {
  plan: Plan;
  testbed: TestbedStatus;
  signal: AbortSignal;
}

/** A latency of a millisecond means little when the clocks may be this far apart, µs. */
const clockLimitUs = 1_000;
/** Of all cores together. */
const idleLimitPercent = 25;
const idleWindowMs = 500;

export async function checkDevices(
  deps: PreflightDependencies,
  check: DeviceCheck,
): Promise<PreflightCheck[]> {
  const perDevice = await Promise.all(
    check.testbed.devices.map(async (device) => {
      const { capabilities } = device;
      const verdicts = [checkAgent(device)];
      if (device.online && capabilities) {
        const { testbed, plan } = check;
        const health = deps.healthOf(device.deviceId);
        const announced = { device, capabilities, testbed, plan, health, version: deps.version };
        verdicts.push(await checkClock(deps, device), ...checkCapabilities(announced));
      }
      return verdicts.map((verdict) => ({ ...verdict, device: device.name }));
    }),
  );
  const idle = await checkIdle(deps, check);
  return [...perDevice.flat(), ...idle];
}

function checkAgent({ name, online, capabilities }: CheckedDevice): DeviceVerdict {
  const about = { id: 'agent', label: 'Agent answers' };
  if (online && capabilities) {
    const { agentVersion, nodeVersion, os, architecture } = capabilities;
    return passed(about, `agent ${agentVersion}, Node ${nodeVersion}, ${os}, ${architecture}`);
  }
  const remedy = 'Check that the device is on and that its agent runs and reaches this server.';
  return failed(about, `${name} is not connected`, remedy);
}

async function checkClock(
  { agents, bootId }: PreflightDependencies,
  device: CheckedDevice,
): Promise<DeviceVerdict> {
  const about = { id: 'clock', label: 'Clock offset is known' };
  try {
    const link = agents.find(device.deviceId);
    if (link === null) throw new Error('it went offline');
    const { offsetUs, uncertaintyUs } = await measureClockOffset(link, bootId);
    const same = bootId !== '' && link.capabilities.bootId === bootId;
    const evidence = same
      ? 'same machine as the server: one clock'
      : `${(offsetUs / 1000).toFixed(3)} ms ± ${(uncertaintyUs / 1000).toFixed(3)} ms, limit ± ${clockLimitUs / 1000} ms`;
    const kept = `${evidence}${timeServiceWords(link.capabilities)}`;
    if (uncertaintyUs <= clockLimitUs) return passed(about, kept);
    const remedy =
      'Connect the device by cable; runs use round-trip latency where the clock is not good enough.';
    return warned(about, kept, remedy);
  } catch (error) {
    const evidence = error instanceof Error ? error.message : String(error);
    return failed(about, evidence, 'Check the network to the device.');
  }
}

/** What keeps the wall clock, which logs and a meter's file are read by; runs go by the exchange above. */
function timeServiceWords({ timeService }: AgentCapabilities): string {
  if (timeService === null) return '';
  const { service, synchronised, estimatedErrorMs } = timeService;
  const state = synchronised === null ? '' : synchronised ? ' synchronised' : ' not synchronised';
  const error = estimatedErrorMs === null ? '' : ` within ${estimatedErrorMs.toFixed(1)} ms`;
  return `; ${service}${state}${error}`;
}

/** The machine of the server is watched for a moment; of other devices their agents tell what else they do. */
async function checkIdle(
  { bootId, healthOf }: PreflightDependencies,
  { testbed, signal }: DeviceCheck,
): Promise<PreflightCheck[]> {
  const here = testbed.devices.filter(({ capabilities }) => bootId !== '' && capabilities?.bootId === bootId);
  const elsewhere = testbed.devices.filter((device) => device.capabilities && !here.includes(device));
  const about = { id: 'idle', label: 'No other program uses the CPU' };
  const unknown = elsewhere.map(({ name, deviceId }): PreflightCheck => {
    const percent = healthOf(deviceId)?.cpuPercent ?? null;
    if (percent !== null) return judgeIdle(percent, { ...about, device: name });
    return notApplicable({ ...about, device: name }, 'its agent has not reported its load yet');
  });
  if (here.length === 0) return unknown;
  const before = await readCpuTicks();
  // The reason of who left, not that a timer was stopped.
  await wait(idleWindowMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  const percent = busyPercent(before, await readCpuTicks());
  const together = { ...about, device: here.map(({ name }) => name).join(', ') };
  if (percent === null) return [...unknown, notApplicable(together, 'the kernel does not report it')];
  return [...unknown, judgeIdle(percent, together)];
}

function judgeIdle(percent: number, about: Pick<PreflightCheck, 'id' | 'label' | 'device'>): PreflightCheck {
  const evidence = `${percent.toFixed(0)} % of all cores busy, limit ${idleLimitPercent} %`;
  if (percent <= idleLimitPercent) return passed(about, evidence);
  return warned(about, evidence, 'End other programs on this machine while the experiment runs.');
}

interface CpuTicks {
  busy: number;
  all: number;
}

/** First line of proc_stat(5): user nice system idle iowait irq softirq steal. */
async function readCpuTicks(): Promise<CpuTicks | null> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const ticks = /^cpu +([\d ]+)/.exec(text)?.[1]?.split(' ').slice(0, 8).map(Number);
  if (!ticks) return null;
  const all = ticks.reduce((sum, value) => sum + value, 0);
  return { all, busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0) };
}

function busyPercent(before: CpuTicks | null, after: CpuTicks | null): number | null {
  if (!before || !after || after.all <= before.all) return null;
  return (100 * (after.busy - before.busy)) / (after.all - before.all);
}
