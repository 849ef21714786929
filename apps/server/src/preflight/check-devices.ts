import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { capture, captureRemedy } from '@mqttlab/shared/catalogue/factors/capture';
import { planShaping } from '@mqttlab/shared/catalogue/plan-shaping';
import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { isBrokerRole } from '@mqttlab/shared/domain/devices/device';
import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { isImpaired, type ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import type { AgentHub } from '../devices/agent-hub.ts';
import { measureClockOffset } from '../devices/device-clocks.ts';
import type { DeviceStates } from '../devices/device-states.ts';
import type { Testbeds } from '../devices/testbeds.ts';
import type { SessionServices } from '../run/session.ts';

interface DeviceCheck {
  plan: Plan;
  testbed: TestbedStatus;
  signal: AbortSignal;
}

/** Maximum clock uncertainty in µs, for latencies of about a millisecond. */
const clockLimitUs = 1_000;
/** Maximum CPU load over all cores, in percent. */
const idleLimitPercent = 25;
const idleWindowMs = 500;

export async function checkDevices(
  services: PreflightServices,
  check: DeviceCheck,
): Promise<PreflightCheck[]> {
  const perDevice = await Promise.all(
    check.testbed.devices.map(async (device) => {
      const { capabilities } = device;
      const verdicts = [checkAgent(device)];
      if (device.online && capabilities) {
        const { testbed, plan } = check;
        const health = services.states.findHealth(device.deviceId);
        const announced = { device, capabilities, testbed, plan, health, version: services.host.version };
        verdicts.push(await checkClock(services, device), ...checkCapabilities(announced));
      }
      return verdicts.map((verdict) => ({ ...verdict, device: device.name }));
    }),
  );
  const idle = await checkIdle(services, check);
  return [...perDevice.flat(), ...idle];
}

function checkAgent({ name, online, capabilities }: CheckedDevice): DeviceVerdict {
  const about = { id: 'agent', label: 'Agent answers' };
  if (online && capabilities) {
    const { agentVersion, nodeVersion, os, architecture } = capabilities;
    return passed(about, `agent ${agentVersion}, Node ${nodeVersion}, ${os}, ${architecture}`);
  }
  const remedy = 'Check that the device is on and that its agent is running and can reach this server.';
  return failed(about, `${name} is not connected`, remedy);
}

async function checkClock(
  { agents, time: { bootId } }: PreflightServices,
  device: CheckedDevice,
): Promise<DeviceVerdict> {
  const about = { id: 'clock', label: 'Clock offset is known' };
  try {
    const link = agents.findAgent(device.deviceId);
    if (link === null) throw new Error('it went offline');
    const { offsetUs, uncertaintyUs } = await measureClockOffset(link, bootId);
    const same = bootId !== '' && link.capabilities.bootId === bootId;
    const evidence = same
      ? 'same machine as the server, so they share one clock'
      : `${(offsetUs / 1000).toFixed(3)} ms ± ${(uncertaintyUs / 1000).toFixed(3)} ms, limit ± ${clockLimitUs / 1000} ms`;
    const kept = `${evidence}${timeServiceWords(link.capabilities)}`;
    if (uncertaintyUs <= clockLimitUs) return passed(about, kept);
    const remedy =
      'Connect the device by cable; runs use round-trip latency if the clock is not good enough.';
    return warned(about, kept, remedy);
  } catch (error) {
    const evidence = error instanceof Error ? error.message : String(error);
    return failed(about, evidence, 'Check the network to the device.');
  }
}

/**
 * Describes the program that synchronises the wall clock, which logs and meter files use. Runs use the
 * exchange above.
 */
function timeServiceWords({ timeService }: AgentCapabilities): string {
  if (timeService === null) return '';
  const { service, synchronised, estimatedErrorMs } = timeService;
  const state = synchronised === null ? '' : synchronised ? ' synchronised' : ' not synchronised';
  const error = estimatedErrorMs === null ? '' : ` within ${estimatedErrorMs.toFixed(1)} ms`;
  return `; ${service}${state}${error}`;
}

/** Measures the CPU load of the server's machine for a moment; agents report the load of other devices. */
async function checkIdle(
  { time: { bootId }, states }: PreflightServices,
  { testbed, signal }: DeviceCheck,
): Promise<PreflightCheck[]> {
  const here = testbed.devices.filter(({ capabilities }) => bootId !== '' && capabilities?.bootId === bootId);
  const elsewhere = testbed.devices.filter((device) => device.capabilities && !here.includes(device));
  const about = { id: 'idle', label: 'No other program uses the CPU' };
  const unknown = elsewhere.map(({ name, deviceId }): PreflightCheck => {
    const percent = states.findHealth(deviceId)?.cpuPercent ?? null;
    if (percent !== null) return judgeIdle(percent, { ...about, device: name });
    return notApplicable({ ...about, device: name }, 'its agent has not reported its load yet');
  });
  if (here.length === 0) return unknown;
  const before = await readCpuTicks();
  // Rejects with the reason of the abort, not with the timer's error.
  await wait(idleWindowMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  const percent = busyPercent(before, await readCpuTicks());
  const together = { ...about, device: here.map(({ name }) => name).join(', ') };
  if (percent === null) return [...unknown, notApplicable(together, 'the kernel does not report it')];
  return [...unknown, judgeIdle(percent, together)];
}

function judgeIdle(percent: number, about: Pick<PreflightCheck, 'id' | 'label' | 'device'>): PreflightCheck {
  const evidence = `${percent.toFixed(0)} % of all cores busy, limit ${idleLimitPercent} %`;
  if (percent <= idleLimitPercent) return passed(about, evidence);
  return warned(about, evidence, 'Stop other programs on this machine while the experiment is running.');
}

interface CpuTicks {
  busy: number;
  all: number;
}

/** Reads the first line of proc_stat(5): user nice system idle iowait irq softirq steal. */
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

export type PreflightCheck = Preflight['checks'][number];
/** A check without the name of its device. */
type DeviceVerdict = Omit<PreflightCheck, 'device'>;
type CheckedDevice = TestbedStatus['devices'][number];

export interface PreflightServices extends SessionServices {
  agents: AgentHub;
  testbeds: Pick<Testbeds, 'findTestbed' | 'listParticipants' | 'leaseTestbed'>;
  states: Pick<DeviceStates, 'findHealth'>;
  /** The data folder for results, and the version of this server, which its agents should also have. */
  host: { dataFolder: string; version: string };
}

/** Returns a passed check; `about` names the check and the device. */
export function passed<About>(about: About, evidence: string, remedy: string | null = null) {
  return { ...about, status: 'passed' as const, evidence, remedy };
}

export function notApplicable<About>(about: About, evidence: string) {
  return { ...about, status: 'not applicable' as const, evidence, remedy: null };
}

export function warned<About>(about: About, evidence: string, remedy: string) {
  return { ...about, status: 'warning' as const, evidence, remedy };
}

export function failed<About>(about: About, evidence: string, remedy: string) {
  return { ...about, status: 'failed' as const, evidence, remedy };
}

interface Announced {
  device: CheckedDevice;
  capabilities: AgentCapabilities;
  /** Agent report for the last few seconds; null if there is none. */
  health: DeviceHealth | null;
  testbed: TestbedStatus;
  plan: Plan;
  /** Version of this server. */
  version: string;
}

const diskFailBytes = 50e6;
const diskWarnBytes = 500e6;

/** Checks everything that can be derived from a device's own report. Pure. */
export function checkCapabilities(announced: Announced): DeviceVerdict[] {
  return [
    checkVersion(announced),
    ...checkLinks(announced),
    checkDisk(announced),
    checkThrottling(announced),
    checkEnergy(announced),
    ...checkShaping(announced),
    ...checkCapture(announced),
    checkCounters(announced),
  ];
}

function checkVersion({ capabilities: { agentVersion }, version }: Announced): DeviceVerdict {
  const about = { id: 'version', label: 'Agent has the server’s version' };
  if (agentVersion === version) return passed(about, `agent ${agentVersion}`);
  const evidence = `agent ${agentVersion}, server ${version}`;
  return warned(about, evidence, 'Upgrade the agent on the device’s page.');
}

/** Checks the interface of the link; a named link has a different interface on each device. */
function checkLinks({ device, capabilities, health, testbed, plan }: Announced): DeviceVerdict[] {
  return [...new Set(plan.treatments.map(({ spec }) => spec.link))].map((link) => {
    const named = testbed.links?.find(({ name }) => name === link);
    const own = named?.interfaces[device.deviceId] ?? link;
    const found = (health?.interfaces ?? capabilities.interfaces).find(({ name }) => name === own);
    const about = { id: `link-${link}`, label: `Link ${link} is up` };
    const called = own === link ? '' : `${own}: `;
    if (found?.up && found.address !== '') return passed(about, `${called}${found.kind}, ${found.address}`);
    const evidence = found ? `${own} is down or has no address` : `there is no interface ${own}`;
    const remedy = named
      ? 'Connect it, choose another link, or change the interfaces of this link on the Devices page.'
      : 'Connect it, or choose another link.';
    return failed(about, evidence, remedy);
  });
}

function checkDisk({ capabilities, health }: Announced): DeviceVerdict {
  const about = { id: 'disk', label: 'Disk has room for results' };
  const freeBytes = health?.diskFreeBytes ?? capabilities.diskFreeBytes;
  if (freeBytes === null) return notApplicable(about, 'the device does not report it');
  const evidence = `${(freeBytes / 1e9).toFixed(1)} GB free`;
  if (freeBytes >= diskWarnBytes) return passed(about, evidence);
  return (freeBytes < diskFailBytes ? failed : warned)(about, evidence, 'Free some space on the device.');
}

function checkThrottling({ capabilities: { throttlingSource }, health }: Announced): DeviceVerdict {
  const about = { id: 'throttling', label: 'Device runs at full speed' };
  const active = health?.throttling ?? [];
  if (active.length > 0) {
    const remedy = 'Use a stronger supply and let the device cool down, then check again.';
    return failed(about, active.join(', '), remedy);
  }
  if (throttlingSource === null) return notApplicable(about, 'this device does not report it');
  if (health === null) return notApplicable(about, 'its agent has not reported yet');
  return passed(about, `no throttling (${throttlingSource})`);
}

/** Checks the chosen or default energy source, and states the limitations of its figures. */
function checkEnergy({ capabilities: { energy, energyChoice } }: Announced): DeviceVerdict {
  const about = { id: 'energy', label: 'Energy source' };
  const best = energyChoice === null ? energy[0] : energy.find(({ id }) => id === energyChoice);
  if (best === undefined && energyChoice !== null) {
    const evidence = `${energyChoice} was chosen but not found`;
    const remedy = 'Connect it, or choose another source on the device’s page.';
    return failed(about, evidence, remedy);
  }
  if (best === undefined) return notApplicable(about, 'none: energy is not measured');
  const evidence = `${best.label} (${best.quality}): ${best.detail}`;
  if (best.quality !== 'modelled') return passed(about, evidence);
  const remedy =
    'For measured energy, connect an INA sensor, configure a smart plug, or upload a meter file.';
  return passed(about, evidence, remedy);
}

/** Checks the impairment that this device would have to apply. Returns nothing if no link is impaired. */
function checkShaping({ device, testbed, plan }: Announced): DeviceVerdict[] {
  const impaired = plan.treatments.flatMap(({ spec }) =>
    isImpaired(spec.impairment) ? [spec.impairment] : [],
  );
  if (impaired.length === 0) return [];
  const about = { id: 'shaping', label: 'Links can be impaired' };
  const ends = testbed.devices.map(({ deviceId, name, role, capabilities }) => ({
    id: deviceId,
    name,
    role,
    shaping: capabilities?.shaping ?? null,
  }));
  const plans = impaired.map((impairment) => planShaping(impairment, ends));
  const refused = plans.find((made) => !made.ok);
  if (refused && !refused.ok) {
    return [failed(about, refused.refusal.reason, refused.refusal.remedy)];
  }
  const rules = plans.flatMap((made) => (made.ok ? (made.orders.get(device.deviceId)?.rules ?? []) : []));
  const evidence = [...new Set(rules.map(wordsOf))].join('; ');
  return [evidence === '' ? notApplicable(about, 'nothing to do on this device') : passed(about, evidence)];
}

/** Checks whether packets can be captured, if the plan requests it. */
function checkCapture({ device: { role }, capabilities, plan }: Announced): DeviceVerdict[] {
  if (!isBrokerRole(role) || plan.treatments.every(({ spec }) => capture.of(spec) === 'none')) return [];
  const about = { id: 'capture', label: 'Packets can be captured' };
  const { captureRefusal } = capabilities;
  if (captureRefusal !== null) return [failed(about, captureRefusal, captureRemedy)];
  return [passed(about, `at most ${maxCaptureBytes / 1024 / 1024} MiB per run`)];
}

function wordsOf({ driver, flow, at }: ShapingRule): string {
  return `${driver} for packets ${flow}, ${at === 'egress' ? 'where they leave' : 'where they arrive'}`;
}

function checkCounters({ capabilities: { perfRefusal } }: Announced): DeviceVerdict {
  const about = { id: 'counters', label: 'Hardware counters' };
  return perfRefusal === null
    ? passed(about, 'cycles, instructions and cache counters from perf')
    : notApplicable(about, perfRefusal);
}
