import { statfs } from 'node:fs/promises';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import { rolesOf } from '@mqttlab/shared/domain/devices/device';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { conflict, notFound } from '../../base/errors.ts';
import { checkSecurities } from './check-connections.ts';
import { checkDevices } from './check-devices.ts';
import {
  failed,
  type PreflightCheck,
  type PreflightDependencies,
  passed,
  warned,
} from './preflight-check.ts';

const wakeTimeoutMs = 20_000;

export type Preflighter = ReturnType<typeof makePreflighter>;

export function makePreflighter(deps: PreflightDependencies) {
  return {
    /**
     * Tries everything a plan needs on its testbed, with real connections. Throws ProblemError 404 for a testbed that is
     * not there and 409 while it is in use; rejects with the reason of `signal` when that aborts.
     */
    async check(plan: Plan, signal: AbortSignal): Promise<Preflight> {
      const devices = deps.testbeds.participantsOf(plan.testbedId);
      const needed = new Set(plan.treatments.flatMap(({ spec }) => rolesOf(spec)));
      await wakeStandby(deps, { testbed: deps.testbeds.find(plan.testbedId), needed, signal });
      const testbed = withNeeded(deps.testbeds.find(plan.testbedId), needed);
      if (!testbed || !devices) throw notFound('testbed', plan.testbedId);
      const lease = deps.leases.take(plan.testbedId, null);
      if (lease === null) {
        throw conflict(
          testbed.busyWith === null
            ? `${testbed.name} is being checked by somebody else.`
            : `${testbed.name} is carrying out experiment ${testbed.busyWith}.`,
          'Wait until it is free, then check again.',
        );
      }
      try {
        const [ofDevices, server] = await Promise.all([
          checkDevices(deps, { plan, testbed, signal }),
          checkServer(deps, plan),
        ]);
        const usable = testbed.devices.every(({ online }) => online);
        const securities = usable
          ? await checkSecurities(deps, { plan, devices, signal, showProbing: lease.showProbing })
          : [];
        return { checks: [...ofDevices, ...securities, server] };
      } finally {
        lease.release();
      }
    },
  };
}

type MaybeTestbed = TestbedStatus | null;

/** Those that no Treatment needs are not checked. */
function withNeeded(testbed: MaybeTestbed, needed: ReadonlySet<Role>): MaybeTestbed {
  return testbed && { ...testbed, devices: testbed.devices.filter(({ role }) => needed.has(role)) };
}

/** Agents that wait until they are needed; one that does not come is told by its check. */
async function wakeStandby(
  { agents }: PreflightDependencies,
  { testbed, needed, signal }: { testbed: MaybeTestbed; needed: ReadonlySet<Role>; signal: AbortSignal },
): Promise<void> {
  const sleeping = (testbed?.devices ?? []).filter(({ role, standby }) => standby && needed.has(role));
  if (sleeping.length === 0) return;
  const deviceIds = sleeping.map(({ deviceId }) => deviceId);
  await agents.whenOnline(deviceIds, { timeoutMs: wakeTimeoutMs, signal });
}

/** Room that should be left when the experiment is through. */
const reserveBytes = 200e6;

/** What the server itself must have for this plan. */
async function checkServer(
  { dataFolder }: Pick<PreflightDependencies, 'dataFolder'>,
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
