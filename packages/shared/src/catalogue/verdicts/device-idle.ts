import type { RoleResult } from '../../domain/role-result.ts';
import type { VerdictDefinition } from '../../domain/verdict.ts';
import { machineOf, meanOf, measuredMsOf, measuredOf, nameOf } from '../evidence.ts';

/** Most that processes other than ours may use, % of all cores of a device. */
const foreignLimit = 20;
/** The machine of the server also serves the page and shows it. */
const foreignLimitBesideServer = 60;

interface Machine {
  roles: string;
  /** % of all cores. */
  foreign: number;
  limit: number;
}

/** CPU of one machine that no process of ours explains; null where it cannot be told apart. */
function judgeMachine(results: readonly RoleResult[], measureMs: number): Machine | null {
  const [first] = results;
  const cores = Number(first?.environment['cpu.cores'] ?? 0);
  const device = meanOf(results.flatMap((result) => measuredOf(result, 'cpu.device', measureMs)));
  const processes = results.map((result) => meanOf(measuredOf(result, 'cpu.process', measureMs)));
  if (!(cores > 0) || device === null || processes.includes(null)) return null;
  const agents = new Map(
    results.map((result) => [
      result.environment['agent.pid'],
      meanOf(measuredOf(result, 'cpu.agent', measureMs)) ?? 0,
    ]),
  );
  const helpers = results.map((result) => meanOf(measuredOf(result, 'cpu.helpers', measureMs)));
  const ours = [...processes, ...helpers, ...agents.values()].reduce<number>(
    (sum, percent) => sum + (percent ?? 0),
    0,
  );
  const besideServer = results.some(({ clock }) => clock?.before.uncertaintyUs === 0);
  return {
    roles: results.map(nameOf).join(' and '),
    foreign: Math.max(0, device - ours / cores),
    limit: besideServer ? foreignLimitBesideServer : foreignLimit,
  };
}

export const deviceIdle: VerdictDefinition = {
  id: 'device-idle',
  label: 'Device otherwise idle',
  judge: (evidence) => {
    const { results } = evidence;
    const byMachine = [...Map.groupBy(results, machineOf).values()];
    const machines = byMachine.flatMap((own) => judgeMachine(own, measuredMsOf(evidence)) ?? []);
    if (machines.length === 0) {
      const words = `0 of ${byMachine.length} devices tell their CPU apart from that of our processes`;
      return { status: 'not applicable', evidence: words };
    }
    return {
      status: machines.every(({ foreign, limit }) => foreign <= limit) ? 'passed' : 'failed',
      evidence: machines
        .map(
          ({ roles, foreign, limit }) =>
            `${roles}: other programs used ${foreign.toFixed(1)} % of all cores, limit ${limit} %`,
        )
        .join('; '),
    };
  },
};
