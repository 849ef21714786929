import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import {
  isBrokerProcessKnown,
  machineOf,
  meanOf,
  measuredMsOf,
  measuredOf,
  nameOf,
  sumOrNull,
} from '../evidence/evidence.ts';
import { timesAndPower } from './matters.ts';

/**
 * Most that processes other than ours may use, % of all cores of a device; the machine of the server is no exception.
 * Measured on the built-in testbed with two cores: 162 runs of 2 s, plain and TLS 1.3 at 200 messages/s, beside
 * programs that took 0 to 60 % of all cores and whatever else ran. Medians over the runs with less than 5, 5 to 10, 10
 * to 20, 20 to 30, 30 to 45 and over 45 % of foreign CPU (8, 5, 12, 10, 17 and 110 runs): median latency 0.21, 0.20,
 * 0.20, 0.23, 0.21, 0.23 ms; P95 0.39, 0.62, 1.6, 2.6, 2.5, 2.7 ms; CPU per message of the publisher 256, 278, 254,
 * 275, 265, 259 us. So P95 is spoilt in full from 20 % on, and the rest never is. A browser that shows the live page
 * takes 28 % of one core and the server 3 %: 15 % of two cores, which passes and lengthens P95.
 */
const foreignLimit = 20;
/** From here on P95 is longer than on an idle device. */
const noticeablePercent = 5;

interface Machine {
  roles: string;
  /** % of all cores. */
  foreign: number;
  /** The broker's process is not known, so that its CPU counts as foreign. */
  isBrokerUnknown: boolean;
}

/**
 * CPU of one machine that no known process explains; null if the processes of mqttlab are not known. A run shorter than a sampling
 * interval has no sample inside: then the first sample after it, whose interval covers the run, is judged.
 */
function judgeMachine(results: readonly RoleResult[], evidence: RunEvidence): Machine | null {
  const measureMs = measuredMsOf(evidence);
  const [first] = results;
  const cores = Number(first?.environment['cpu.cores'] ?? 0);
  const inside = results.flatMap((result) => measuredOf(result, 'cpu.device', measureMs));
  const covering = inside.length > 0 ? null : coveringSample(results, measureMs);
  const device = covering?.percent ?? meanOf(inside);
  if (!(cores > 0) || device === null) return null;
  const percentOf = (result: RoleResult, metric: string) =>
    meanOf(measuredOf(result, metric, covering?.endMs ?? measureMs));
  const isBrokerUnknown = !isBrokerProcessKnown(evidence) && results.some(({ role }) => role === 'broker');
  const processes = results
    .filter(({ role }) => !(isBrokerUnknown && role === 'broker'))
    .map(
      (result) => percentOf(result, 'cpu.process') ?? (covering ? loadPercent(result, covering.endMs) : null),
    );
  if (processes.includes(null)) return null;
  const agents = new Map(
    results.map((result) => [result.environment['agent.pid'], percentOf(result, 'cpu.agent') ?? 0]),
  );
  const helpers = results.map((result) => percentOf(result, 'cpu.helpers'));
  const ours = [...processes, ...helpers, ...agents.values()].reduce<number>(
    (sum, percent) => sum + (percent ?? 0),
    0,
  );
  const foreign = Math.max(0, device - ours / cores);
  return { roles: results.map(nameOf).join(' and '), foreign, isBrokerUnknown };
}

/** A later sample says little about the run. */
const coveringMs = 1500;

/** First sample of the machine after so short a run: from its start to `endMs`. */
function coveringSample(results: readonly RoleResult[], measureMs: number) {
  const samples = results.flatMap(({ series }) => {
    const device = series.find(({ metric }) => metric === 'cpu.device');
    return (device?.timesMs ?? []).flatMap((endMs, index) => {
      const percent = device?.values[index] ?? null;
      return endMs > measureMs && endMs <= coveringMs && percent !== null ? [{ endMs, percent }] : [];
    });
  });
  return samples.toSorted((a, b) => a.endMs - b.endMs)[0] ?? null;
}

/** CPU of a process without samples, from its phases since measuring began, in % of one core over `ms`. */
function loadPercent({ phases }: RoleResult, ms: number): number | null {
  const load = phases.filter(({ phase }) => phase === 'measure' || phase === 'drain');
  const cpuUs = sumOrNull(load.map((phase) => phase.cpuUs));
  return cpuUs === null ? null : cpuUs / (10 * ms);
}

export const deviceIdle: VerdictDefinition = {
  id: 'device-idle',
  label: 'No other program used the CPU',
  fault: 'Other programs used the CPU',
  remedy: 'Close other programs on these devices, or wait until they are idle, then run them again.',
  matters: timesAndPower,
  judge: (evidence) => {
    const { results } = evidence;
    const byMachine = [...Map.groupBy(results, machineOf).values()];
    const machines = byMachine.flatMap((own) => judgeMachine(own, evidence) ?? []);
    if (machines.length === 0) {
      const words = `0 of ${byMachine.length} devices report the CPU use of every process of mqttlab`;
      return { status: 'not applicable', evidence: words };
    }
    return {
      status: machines.every(({ foreign }) => foreign <= foreignLimit) ? 'passed' : 'failed',
      evidence: machines
        .map(
          ({ roles, foreign, isBrokerUnknown }) =>
            `${roles}: ${isBrokerUnknown ? 'the broker and other programs' : 'other programs'} used ${foreign.toFixed(1)} % of all cores, limit ${foreignLimit} %` +
            (foreign > noticeablePercent
              ? `; above ${noticeablePercent} % they lengthen P95 of latency`
              : '') +
            (isBrokerUnknown
              ? '; the process of the broker is not named, so it counts as another program'
              : ''),
        )
        .join('; '),
    };
  },
};
