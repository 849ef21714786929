import { capture, captureRemedy } from '@mqttlab/shared/catalogue/factors/capture';
import { planShaping } from '@mqttlab/shared/catalogue/plan-shaping';
import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { isBrokerRole } from '@mqttlab/shared/domain/devices/device';
import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { isImpaired, type ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import {
  type CheckedDevice,
  type DeviceVerdict,
  failed,
  notApplicable,
  passed,
  warned,
} from './preflight-check.ts';

interface Announced {
  device: CheckedDevice;
  capabilities: AgentCapabilities;
  /** As its agent said a few seconds ago; null where it has not. */
  health: DeviceHealth | null;
  testbed: TestbedStatus;
  plan: Plan;
  /** Of this server. */
  version: string;
}

const diskFailBytes = 50e6;
const diskWarnBytes = 500e6;

/** Everything that follows from what a device says of itself. Pure. */
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
  const about = { id: 'version', label: 'Agent is of this server’s version' };
  if (agentVersion === version) return passed(about, `agent ${agentVersion}`);
  const evidence = `agent ${agentVersion}, server ${version}`;
  return warned(about, evidence, 'Upgrade the agent on the page of this device.');
}

/** A named link is another interface on each device. */
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
  return passed(about, `nothing slows it down (${throttlingSource})`);
}

/** The source that is used unless another is asked for, with what may be thought of its figures. */
function checkEnergy({ capabilities: { energy, energyChoice } }: Announced): DeviceVerdict {
  const about = { id: 'energy', label: 'Energy source' };
  const best = energyChoice === null ? energy[0] : energy.find(({ id }) => id === energyChoice);
  if (best === undefined && energyChoice !== null) {
    const evidence = `${energyChoice} was chosen and is not found`;
    const remedy = 'Connect it, or choose another source on the page of this device.';
    return failed(about, evidence, remedy);
  }
  if (best === undefined) return notApplicable(about, 'none: energy is not measured');
  const evidence = `${best.label} (${best.quality}): ${best.detail}`;
  if (best.quality !== 'modelled') return passed(about, evidence);
  const remedy =
    'For measured energy, connect an INA sensor, give the agent a smart plug, or upload a meter file.';
  return passed(about, evidence, remedy);
}

/** What this device would have to put on its links; nothing where no link is made worse. */
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

/** Where packets are to be captured; nothing where they are not. */
function checkCapture({ device: { role }, capabilities, plan }: Announced): DeviceVerdict[] {
  if (!isBrokerRole(role) || plan.treatments.every(({ spec }) => capture.of(spec) === 'none')) return [];
  const about = { id: 'capture', label: 'Packets can be captured' };
  const { captureRefusal } = capabilities;
  if (captureRefusal !== null) return [failed(about, captureRefusal, captureRemedy)];
  return [passed(about, `at most ${maxCaptureBytes / 1024 / 1024} MiB a run`)];
}

function wordsOf({ driver, flow, at }: ShapingRule): string {
  return `${driver} for packets ${flow}, ${at === 'egress' ? 'where they leave' : 'where they arrive'}`;
}

function checkCounters({ capabilities: { perfRefusal } }: Announced): DeviceVerdict {
  const about = { id: 'counters', label: 'Hardware counters' };
  return perfRefusal === null
    ? passed(about, 'cycles, instructions and cache by perf')
    : notApplicable(about, perfRefusal);
}
