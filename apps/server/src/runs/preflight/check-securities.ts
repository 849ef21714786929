import { randomInt } from 'node:crypto';
import { negotiatedRows } from '@mqttlab/shared/catalogue/verdicts/negotiated-as-asked';
import { legSpecOf } from '@mqttlab/shared/domain/devices/topology';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Probing } from '../../testbed/leases.ts';
import type { Participant } from '../../testbed/testbeds.ts';
import { takePart } from '../participants.ts';
import { firstProbeRunId } from '../result-service.ts';
import { toFailure } from '../to-failure.ts';
import { TrialSession } from '../trial-session.ts';
import type { PreflightCheck, PreflightDependencies } from './preflight-check.ts';
import { findWays, type WayToConnect } from './ways-to-connect.ts';

interface SecurityCheck {
  plan: Plan;
  devices: readonly Participant[];
  signal: AbortSignal;
  tellProbing: (probing: Probing) => void;
}

const minimumValidDays = 7;
const dayMs = 86_400_000;
/** Every setting is worth this long, all their combinations only this long. */
const coveringMs = 120_000;
const combinationsMs = 20_000;

/** Starts the broker and connects both clients once for every security of the plan, as far as there is time. */
export async function checkSecurities(
  deps: PreflightDependencies,
  check: SecurityCheck,
): Promise<PreflightCheck[]> {
  const checks: PreflightCheck[] = await checkCertificates(deps, check);
  const { covering, others } = findWays(check.plan);
  const total = covering.length + others.length;
  const begunMs = deps.nowMs();
  for (const [done, way] of [...covering, ...others].entries()) {
    check.signal.throwIfAborted();
    const isCovering = done < covering.length;
    if (deps.nowMs() - begunMs > (isCovering ? coveringMs : combinationsMs)) {
      return [...checks, notTried({ done, total, isCovering })];
    }
    check.tellProbing({ done, total });
    checks.push(await checkConnection(deps, way, check));
  }
  return checks;
}

function notTried({ done, total, isCovering }: Probing & { isCovering: boolean }): PreflightCheck {
  const about = { id: 'connections-left', device: 'All', label: 'Other ways to connect' };
  const tried = `${done} of ${total} ways to connect were tried`;
  if (isCovering) {
    const remedy = 'Choose fewer levels, or start all the same: what does not work fails in its own run.';
    return { ...about, status: 'warning', evidence: `${tried}, then time was up`, remedy };
  }
  const evidence = `${tried}, each setting among them; the rest combine the same settings`;
  return { ...about, status: 'not applicable', evidence, remedy: null };
}

async function checkConnection(
  deps: PreflightDependencies,
  { name, spec }: WayToConnect,
  { plan, devices, signal }: SecurityCheck,
): Promise<PreflightCheck> {
  const about = {
    id: `connect-${name}`,
    device: 'All',
    label: `${name}: broker ${spec.broker === 'external' ? 'answers' : 'starts'}, clients connect`,
  };
  const runId = firstProbeRunId + randomInt(99_999_999_999);
  const listener = { onPhase() {}, onProgress() {}, onLog() {} };
  let session: TrialSession | null = null;
  try {
    session = new TrialSession(deps, {
      runId,
      testbedId: plan.testbedId,
      spec,
      signal,
      listener,
      participants: takePart(devices, spec),
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
  { plan, devices }: SecurityCheck,
): Promise<PreflightCheck[]> {
  const addresses = devices
    .filter(({ role }) => role === 'broker')
    .flatMap(({ deviceId }) => agents.capabilitiesOf(deviceId)?.interfaces ?? [])
    .map(({ address }) => address);
  const kinds = new Set(plan.treatments.flatMap(({ spec }) => spec.certificate ?? []));
  const checks: PreflightCheck[] = [];
  for (const kind of kinds) {
    const about = { id: `certificate-${kind}`, device: 'Server', label: `Certificate ${kind} is valid` };
    const { testbedId } = plan;
    const { expiresAt } = await certificates.forBroker({ testbedId, kind, chainLength: 1, addresses });
    const days = Math.floor((expiresAt - nowMs()) / dayMs);
    const evidence = `valid for another ${days} days`;
    const valid = days >= minimumValidDays;
    const remedy = valid ? null : "Check the server's date.";
    checks.push({ ...about, status: valid ? 'passed' : 'failed', evidence, remedy });
  }
  return checks;
}
