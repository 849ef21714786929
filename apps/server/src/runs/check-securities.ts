import { randomInt } from 'node:crypto';
import { negotiatedRows } from '@mqttlab/shared/catalogue/verdicts/negotiated-as-asked';
import type { Plan } from '@mqttlab/shared/domain/plan';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import type { RoleDevices } from '../testbed/testbeds.ts';
import type { PreflightCheck, PreflightDependencies } from './preflight-check.ts';
import { firstProbeRunId } from './result-desk.ts';
import { toFailure } from './to-failure.ts';
import { TrialSession } from './trial-session.ts';

interface SecurityCheck {
  plan: Plan;
  roles: RoleDevices;
  signal: AbortSignal;
}

const minimumValidDays = 7;
const dayMs = 86_400_000;

/** Starts the broker and connects both clients once for every distinct security of the plan. */
export async function checkSecurities(
  deps: PreflightDependencies,
  check: SecurityCheck,
): Promise<PreflightCheck[]> {
  const checks: PreflightCheck[] = await checkCertificates(deps, check);
  for (const spec of distinctSpecs(check.plan)) {
    check.signal.throwIfAborted();
    checks.push(await checkConnection(deps, spec, check));
  }
  return checks;
}

/** One specification for each way to connect. */
function distinctSpecs(plan: Plan): TrialSpec[] {
  const byWay = new Map<string, TrialSpec>();
  for (const { spec } of plan.treatments) if (!byWay.has(wayOf(spec))) byWay.set(wayOf(spec), spec);
  return [...byWay.values()];
}

function wayOf({ security, cipherSuite, group, certificate, mqttVersion, link }: TrialSpec): string {
  const version = mqttVersion === '5.0' ? null : `MQTT ${mqttVersion}`;
  const named = link === 'lo' ? null : link;
  const words = [security === 'plain' ? 'Plain' : security, cipherSuite, group, certificate, version, named];
  return words.filter((word) => word !== null).join(', ');
}

async function checkConnection(
  deps: PreflightDependencies,
  spec: TrialSpec,
  { plan, roles, signal }: SecurityCheck,
): Promise<PreflightCheck> {
  const way = wayOf(spec);
  const about = { id: `connect-${way}`, device: 'All', label: `${way}: broker starts, clients connect` };
  const runId = firstProbeRunId + randomInt(99_999_999_999);
  const listener = { onPhase() {}, onProgress() {}, onLog() {} };
  let session: TrialSession | null = null;
  try {
    session = new TrialSession(deps, { runId, testbedId: plan.testbedId, spec, roles, signal, listener });
    const ready = await session.prepare();
    const connected = await session.connect();
    await session.teardown();
    const rows = Object.values(connected).flatMap(({ negotiated }) => negotiatedRows(spec, negotiated));
    const wrong = rows.filter(({ equal }) => equal === false);
    const broker = `${ready.kind} ${ready.version}`;
    if (wrong.length === 0) {
      const { protocol, cipherSuite } = connected.publisher.negotiated;
      const got = [broker, protocol, cipherSuite].filter((word) => word !== null).join(', ');
      return { ...about, status: 'passed', evidence: got, remedy: null };
    }
    const evidence = wrong
      .map(({ parameter, asked, negotiated }) => `${parameter} ${negotiated} instead of ${asked}`)
      .join('; ');
    return { ...about, status: 'failed', evidence, remedy: 'Leave this combination out.' };
  } catch (error) {
    await session?.abort('the pre-flight check failed');
    if (signal.aborted) throw error;
    const { message, remedy } = toFailure(error);
    return { ...about, status: 'failed', evidence: message, remedy };
  } finally {
    session?.close();
  }
}

async function checkCertificates(
  { certificates, agents, nowMs }: PreflightDependencies,
  { plan, roles }: SecurityCheck,
): Promise<PreflightCheck[]> {
  const addresses = agents.capabilitiesOf(roles.broker.deviceId)?.interfaces.map(({ address }) => address);
  const kinds = new Set(plan.treatments.flatMap(({ spec }) => spec.certificate ?? []));
  const checks: PreflightCheck[] = [];
  for (const kind of kinds) {
    const about = { id: `certificate-${kind}`, device: 'Server', label: `Certificate ${kind} is valid` };
    const { testbedId } = plan;
    const { expiresAt } = await certificates.forBroker({
      ...{ testbedId, kind, chainLength: 1 },
      addresses: addresses ?? [],
    });
    const days = Math.floor((expiresAt - nowMs()) / dayMs);
    const evidence = `valid for another ${days} days`;
    const valid = days >= minimumValidDays;
    const remedy = valid ? null : "Check the server's date.";
    checks.push({ ...about, status: valid ? 'passed' : 'failed', evidence, remedy });
  }
  return checks;
}
