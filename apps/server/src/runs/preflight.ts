import type { Plan } from '@mqttlab/shared/domain/plan';
import type { Preflight } from '@mqttlab/shared/protocol/http';
import { conflict, notFound } from '../errors.ts';
import { checkDevices } from './check-devices.ts';
import { checkSecurities } from './check-securities.ts';
import { checkServer } from './check-server.ts';
import type { PreflightDependencies } from './preflight-check.ts';

export interface Preflighter {
  /**
   * Tries everything a plan needs on its testbed, with real connections. Throws ProblemError 404 for a testbed that is
   * not there and 409 while it is in use; rejects with the reason of `signal` when that aborts.
   */
  check(plan: Plan, signal: AbortSignal): Promise<Preflight>;
}

export function makePreflighter(deps: PreflightDependencies): Preflighter {
  return {
    async check(plan, signal) {
      const testbed = deps.testbeds.find(plan.testbedId);
      const devices = deps.testbeds.participantsOf(plan.testbedId);
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
          ? await checkSecurities(deps, { plan, devices, signal, tellProbing: lease.tellProbing })
          : [];
        return { checks: [...ofDevices, ...securities, ...server] };
      } finally {
        lease.release();
      }
    },
  };
}
