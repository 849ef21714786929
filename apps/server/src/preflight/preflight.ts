import { randomInt } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { negotiatedRows } from '@mqttlab/shared/catalogue/verdicts/negotiated-as-asked';
import { legSpecOf, type Role, rolesOf } from '@mqttlab/shared/domain/devices/device';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { conflict, notFound } from '../base/errors.ts';
import type { Participant, Probing } from '../devices/testbeds.ts';
import { firstProbeRunId } from '../run/results.ts';
import { selectParticipants } from '../run/run-devices.ts';
import { toFailure } from '../run/run-failures.ts';
import { TrialSession } from '../run/session.ts';
import {
  checkDevices,
  failed,
  notApplicable,
  type PreflightCheck,
  type PreflightServices,
  passed,
  warned,
} from './check-devices.ts';

const wakeTimeoutMs = 20_000;

/**
 * Tests everything that a plan needs on its testbed, with real connections. Rejects with a 404 problem if the
 * testbed does not exist, with a 409 problem while it is in use, and with the reason of `signal` when it
 * aborts.
 */
export async function runPreflight(
  services: PreflightServices,
  plan: Plan,
  signal: AbortSignal,
): Promise<Preflight> {
  const devices = services.testbeds.listParticipants(plan.testbedId);
  const needed = new Set(plan.treatments.flatMap(({ spec }) => rolesOf(spec)));
  await wakeStandby(services, { testbed: services.testbeds.findTestbed(plan.testbedId), needed, signal });
  const testbed = withNeeded(services.testbeds.findTestbed(plan.testbedId), needed);
  if (!testbed || !devices) throw notFound('testbed', plan.testbedId);
  const lease = services.testbeds.leaseTestbed(plan.testbedId, null);
  if (lease === null) {
    throw conflict(
      testbed.busyWith === null
        ? `${testbed.name} is already being checked.`
        : `${testbed.name} is running experiment ${testbed.busyWith}.`,
      'Wait until it is free, then check again.',
    );
  }
  try {
    const [ofDevices, server] = await Promise.all([
      checkDevices(services, { plan, testbed, signal }),
      checkServer(services, plan),
    ]);
    const usable = testbed.devices.every(({ online }) => online);
    const securities = usable
      ? await checkSecurities(services, { plan, devices, signal, showProbing: lease.showProbing })
      : [];
    return { checks: [...ofDevices, ...securities, server] };
  } finally {
    lease.release();
  }
}

type MaybeTestbed = TestbedStatus | null;

/** Removes devices that no treatment needs, because these are not checked. */
function withNeeded(testbed: MaybeTestbed, needed: ReadonlySet<Role>): MaybeTestbed {
  return testbed && { ...testbed, devices: testbed.devices.filter(({ role }) => needed.has(role)) };
}

/** Starts agents on demand. The check fails for an agent that does not start. */
async function wakeStandby(
  { agents }: PreflightServices,
  { testbed, needed, signal }: { testbed: MaybeTestbed; needed: ReadonlySet<Role>; signal: AbortSignal },
): Promise<void> {
  const sleeping = (testbed?.devices ?? []).filter(({ role, standby }) => standby && needed.has(role));
  if (sleeping.length === 0) return;
  const deviceIds = sleeping.map(({ deviceId }) => deviceId);
  await agents.wakeDevices(deviceIds, { timeoutMs: wakeTimeoutMs, signal });
}

/** Minimum free disk space after the experiment. */
const reserveBytes = 200e6;

/** Checks what this plan requires of the server itself. */
async function checkServer(
  { host: { dataFolder } }: Pick<PreflightServices, 'host'>,
  plan: Plan,
): Promise<PreflightCheck> {
  const about = { id: 'disk', device: 'Server', label: 'Disk has room for the data' };
  const { bavail, bsize } = await statfs(dataFolder);
  const freeBytes = bavail * bsize;
  const neededBytes = estimate(plan, null).dataBytes;
  const evidence = `${(freeBytes / 1e9).toFixed(1)} GB free, about ${(neededBytes / 1e6).toFixed(1)} MB needed`;
  if (freeBytes > neededBytes + reserveBytes) return passed(about, evidence);
  const remedy = 'Free some space, or set MQTTLAB_DATA to another disk.';
  return (freeBytes < neededBytes ? failed : warned)(about, evidence, remedy);
}

interface SecurityCheck {
  plan: Plan;
  devices: readonly Participant[];
  signal: AbortSignal;
  showProbing: (probing: Probing) => void;
}

const minValidDays = 7;
const dayMs = 86_400_000;
/** Time limit in ms for testing every setting, and for testing all combinations. */
const coveringMs = 120_000;
const combinationsMs = 20_000;

/**
 * Starts the broker and connects both clients once for every security level in the plan, within the time
 * limit.
 */
export async function checkSecurities(
  services: PreflightServices,
  check: SecurityCheck,
): Promise<PreflightCheck[]> {
  const checks: PreflightCheck[] = await checkCertificates(services, check);
  const { covering, others } = findWays(check.plan);
  const total = covering.length + others.length;
  const begunMs = services.time.nowMs();
  for (const [done, way] of [...covering, ...others].entries()) {
    check.signal.throwIfAborted();
    const isCovering = done < covering.length;
    if (services.time.nowMs() - begunMs > (isCovering ? coveringMs : combinationsMs)) {
      return [...checks, notTried({ done, total, isCovering })];
    }
    check.showProbing({ done, total });
    checks.push(await checkConnection(services, way, check));
  }
  return checks;
}

function notTried({ done, total, isCovering }: Probing & { isCovering: boolean }): PreflightCheck {
  const about = { id: 'connections-left', device: 'All', label: 'Other ways to connect' };
  const tried = `${done} of ${total} ways to connect were tested`;
  if (isCovering) {
    const remedy =
      'Choose fewer levels, or start anyway: a combination that does not work fails in its own run.';
    return warned(about, `${tried} within the time limit`, remedy);
  }
  return notApplicable(about, `${tried}, including each setting; the rest combine the same settings`);
}

async function checkConnection(
  services: PreflightServices,
  { name, spec }: WayToConnect,
  { plan, devices, signal }: SecurityCheck,
): Promise<PreflightCheck> {
  const about = {
    id: `connect-${name}`,
    device: 'All',
    label: `${name}: broker ${spec.broker === 'external' ? 'responds' : 'starts'}, clients connect`,
  };
  const runId = firstProbeRunId + randomInt(99_999_999_999);
  const listener = { onPhase() {}, onProgress() {}, onLog() {} };
  let session: TrialSession | null = null;
  try {
    session = new TrialSession(services, {
      runId,
      attempt: 1,
      testbedId: plan.testbedId,
      spec,
      signal,
      listener,
      participants: selectParticipants(devices, spec),
    });
    const ready = await session.prepare();
    const connected = await session.connect();
    await session.teardown();
    const rows = connected.flatMap(({ device, negotiated }) =>
      negotiatedRows(legSpecOf(spec, device.role), negotiated),
    );
    const wrong = rows.filter(({ equal }) => equal === false);
    const broker = `${ready.kind} ${ready.version}`;
    if (wrong.length === 0) {
      const { protocol = null, cipherSuite = null } = connected.at(-1)?.negotiated ?? {};
      return passed(about, [broker, protocol, cipherSuite].filter((word) => word !== null).join(', '));
    }
    const evidence = wrong
      .map(({ parameter, asked, negotiated }) => `${parameter} ${negotiated} instead of ${asked}`)
      .join('; ');
    return failed(about, evidence, 'Leave out this combination.');
  } catch (error) {
    await session?.abort('the pre-flight check failed');
    if (signal.aborted) throw error;
    const { message, remedy } = toFailure(error);
    return failed(about, message, remedy);
  } finally {
    session?.close();
  }
}

async function checkCertificates(
  { certificates, agents, time: { nowMs } }: PreflightServices,
  { plan, devices }: SecurityCheck,
): Promise<PreflightCheck[]> {
  const addresses = devices
    .filter(({ role }) => role === 'broker')
    .flatMap(({ deviceId }) => agents.findCapabilities(deviceId)?.interfaces ?? [])
    .map(({ address }) => address);
  const kinds = new Set(plan.treatments.flatMap(({ spec }) => spec.certificate ?? []));
  const checks: PreflightCheck[] = [];
  for (const kind of kinds) {
    const about = { id: `certificate-${kind}`, device: 'Server', label: `Certificate ${kind} is valid` };
    const { testbedId } = plan;
    const { expiresAt } = await certificates.forBroker({ testbedId, kind, chainLength: 1, addresses });
    const days = Math.floor((expiresAt - nowMs()) / dayMs);
    const evidence = `valid for another ${days} days`;
    const isValid = days >= minValidDays;
    checks.push(isValid ? passed(about, evidence) : failed(about, evidence, "Check the server's date."));
  }
  return checks;
}

interface WayToConnect {
  /** For example "TLS 1.3, TLS_AES_256_GCM_SHA384, X25519, ECDSA P-256". */
  name: string;
  spec: TrialSpec;
}

interface Ways {
  /** Connections that together include every setting at least once. */
  covering: WayToConnect[];
  /** Further combinations of the same settings. */
  others: WayToConnect[];
}

/** Returns one specification from a plan per way to connect, with new settings first. */
export function findWays(plan: Plan): Ways {
  const byName = new Map<string, TrialSpec>();
  for (const { spec } of plan.treatments) {
    const name = wordsOf(spec).join(', ');
    if (!byName.has(name)) byName.set(name, spec);
  }
  const met = new Set<string>();
  const ways: Ways = { covering: [], others: [] };
  for (const [name, spec] of byName) {
    const own = settingsOf(spec);
    const brings = own.some((setting) => !met.has(setting));
    for (const setting of own) met.add(setting);
    ways[brings ? 'covering' : 'others'].push({ name, spec });
  }
  return ways;
}

/** Describes the settings that affect a connection; usual values are omitted. */
function wordsOf(spec: TrialSpec): string[] {
  const unless = (usual: string, value: string | null, words = value) => (value === usual ? null : words);
  const words = [
    spec.security === 'plain' ? 'Plain' : spec.security,
    spec.cipherSuite,
    spec.group,
    spec.certificate,
    spec.chainLength === null || spec.chainLength === 1 ? null : `chain of ${spec.chainLength}`,
    unless('none', spec.clientCertificate),
    unless('full', spec.session),
    unless('5.0', spec.mqttVersion, `MQTT ${spec.mqttVersion}`),
    unless('mosquitto', spec.broker, `${spec.broker} broker`),
    unless('native', spec.client),
    unless('tcp', spec.transport),
    unless('mqtt', spec.applicationProtocol, spec.applicationProtocol.replace('coap', 'CoAP')),
    unless('as published', spec.brokerHardening, `${spec.brokerHardening} broker`),
    unless('lo', spec.link),
  ];
  return words.filter((word) => word !== null);
}

const settings = [
  'cipherSuite',
  'group',
  'certificate',
  'chainLength',
  'clientCertificate',
  'mqttVersion',
  'broker',
  'client',
  'transport',
  'link',
  'applicationProtocol',
  'brokerHardening',
] as const satisfies readonly (keyof TrialSpec)[];

function settingsOf(spec: TrialSpec): string[] {
  // TLS versions differ in how they resume sessions.
  const session = `session=${spec.security} ${spec.session}`;
  return [...settings.map((name) => `${name}=${spec[name]}`), session];
}
