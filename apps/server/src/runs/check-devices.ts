import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentCapabilities } from '@mqttlab/shared/domain/capabilities';
import type { Plan } from '@mqttlab/shared/domain/plan';
import type { TestbedStatus } from '@mqttlab/shared/protocol/http';
import { measureClockOffset } from '../testbed/clock-offset.ts';
import type { PreflightCheck, PreflightDependencies } from './preflight-check.ts';

type Device = TestbedStatus['devices'][number];
type Verdict = Pick<PreflightCheck, 'id' | 'label' | 'status' | 'evidence' | 'remedy'>;

interface DeviceCheck {
  plan: Plan;
  testbed: TestbedStatus;
  signal: AbortSignal;
}

/** A latency of a millisecond means little when the clocks may be this far apart, µs. */
const clockLimitUs = 1_000;
const diskFailBytes = 50e6;
const diskWarnBytes = 500e6;
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
      const verdicts = [
        checkAgent(device),
        ...(device.online && capabilities
          ? [
              await checkClock(deps, device),
              ...checkLinks(capabilities, check.plan),
              checkDisk(capabilities),
              checkEnergy(capabilities),
              checkCounters(capabilities),
            ]
          : []),
      ];
      return verdicts.map((verdict) => ({ ...verdict, device: device.name }));
    }),
  );
  const idle = await checkIdle(deps, check);
  return [...perDevice.flat(), ...idle];
}

function checkAgent({ name, online, capabilities }: Device): Verdict {
  const about = { id: 'agent', label: 'Agent answers' };
  if (online && capabilities) {
    const { agentVersion, nodeVersion, os, architecture } = capabilities;
    const evidence = `agent ${agentVersion}, Node ${nodeVersion}, ${os}, ${architecture}`;
    return { ...about, status: 'passed', evidence, remedy: null };
  }
  const remedy = 'Check that the device is on and that its agent runs and reaches this server.';
  return { ...about, status: 'failed', evidence: `${name} is not connected`, remedy };
}

async function checkClock({ agents, bootId }: PreflightDependencies, device: Device): Promise<Verdict> {
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
    if (uncertaintyUs <= clockLimitUs) return { ...about, status: 'passed', evidence: kept, remedy: null };
    const remedy =
      'Connect the device by cable; runs use round-trip latency where the clock is not good enough.';
    return { ...about, status: 'warning', evidence: kept, remedy };
  } catch (error) {
    const evidence = error instanceof Error ? error.message : String(error);
    return { ...about, status: 'failed', evidence, remedy: 'Check the network to the device.' };
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

function checkLinks({ interfaces }: AgentCapabilities, plan: Plan): Verdict[] {
  return [...new Set(plan.treatments.map(({ spec }) => spec.link))].map((link) => {
    const found = interfaces.find(({ name }) => name === link);
    const about = { id: `link-${link}`, label: `Link ${link} is up` };
    if (found?.up && found.address !== '') {
      return { ...about, status: 'passed', evidence: `${found.kind}, ${found.address}`, remedy: null };
    }
    const evidence = found ? `${link} is down or has no address` : `there is no interface ${link}`;
    return { ...about, status: 'failed', evidence, remedy: 'Connect it, or choose another link.' };
  });
}

function checkDisk({ diskFreeBytes }: AgentCapabilities): Verdict {
  const about = { id: 'disk', label: 'Disk has room for results' };
  if (diskFreeBytes === null) {
    return { ...about, status: 'not applicable', evidence: 'the device does not tell', remedy: null };
  }
  const evidence = `${(diskFreeBytes / 1e9).toFixed(1)} GB free`;
  if (diskFreeBytes >= diskWarnBytes) return { ...about, status: 'passed', evidence, remedy: null };
  const status = diskFreeBytes < diskFailBytes ? 'failed' : 'warning';
  return { ...about, status, evidence, remedy: 'Free some space on the device.' };
}

/** The source that is used unless another is asked for, with what may be thought of its figures. */
function checkEnergy({ energy, energyChoice }: AgentCapabilities): Verdict {
  const about = { id: 'energy', label: 'Energy source' };
  const chosen = energy.find(({ id }) => id === energyChoice);
  if (energyChoice !== null && chosen === undefined) {
    return {
      ...about,
      status: 'failed',
      evidence: `"${energyChoice}" was chosen for this device, and does not answer`,
      remedy: 'Look at the sensor, or choose another source on the page of the device.',
    };
  }
  const best = chosen ?? energy[0];
  if (best === undefined) {
    return { ...about, status: 'not applicable', evidence: 'none, nothing is measured', remedy: null };
  }
  const evidence = `${best.label} (${best.quality}): ${best.detail}`;
  if (best.quality !== 'modelled') return { ...about, status: 'passed', evidence, remedy: null };
  const remedy =
    'For measured energy, connect an INA sensor, name a smart plug on the page of the device, or upload a meter’s file to the run.';
  return { ...about, status: 'passed', evidence, remedy };
}

function checkCounters({ perfRefusal }: AgentCapabilities): Verdict {
  const about = { id: 'counters', label: 'Hardware counters', remedy: null };
  return perfRefusal === null
    ? { ...about, status: 'passed', evidence: 'cycles, instructions and cache by perf' }
    : { ...about, status: 'not applicable', evidence: perfRefusal };
}

/** Only the machine of the server can be watched while nothing runs; other devices announce no load. */
async function checkIdle(
  { bootId }: PreflightDependencies,
  { testbed, signal }: DeviceCheck,
): Promise<PreflightCheck[]> {
  const here = testbed.devices.filter(({ capabilities }) => bootId !== '' && capabilities?.bootId === bootId);
  const elsewhere = testbed.devices.filter((device) => device.capabilities && !here.includes(device));
  const about = { id: 'idle', label: 'Device is otherwise idle' };
  const unknown: PreflightCheck[] = elsewhere.map(({ name }) => ({
    ...about,
    device: name,
    status: 'not applicable',
    evidence: 'the device announces no load while nothing runs',
    remedy: null,
  }));
  if (here.length === 0) return unknown;
  const before = await readCpuTicks();
  await wait(idleWindowMs, undefined, { signal });
  const percent = busyPercent(before, await readCpuTicks());
  const device = here.map(({ name }) => name).join(', ');
  if (percent === null) {
    const evidence = 'the kernel does not tell';
    return [...unknown, { ...about, device, status: 'not applicable', evidence, remedy: null }];
  }
  const evidence = `${percent.toFixed(0)} % of all cores busy, limit ${idleLimitPercent} %`;
  const idle = percent <= idleLimitPercent;
  const remedy = idle ? null : 'End other programs on this machine while the experiment runs.';
  return [...unknown, { ...about, device, status: idle ? 'passed' : 'warning', evidence, remedy }];
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
