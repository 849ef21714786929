import { latencyBoundUs, latencyKind } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { HistogramJson, HistogramName, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatQuantity, NBSP } from '@mqttlab/shared/format/quantity';
import type { DistributionUnit } from './distribution-view.ts';

/** One distribution that a Run holds whole. */
export interface Distribution {
  id: string;
  role: Role;
  label: string;
  /** What lies on the axis: "latency". */
  quantity: string;
  /** What is counted: "messages". */
  noun: string;
  unit: DistributionUnit;
  histogram: HistogramJson;
}

interface Look {
  id: string;
  label: string;
  quantity: string;
  noun: string;
  unit: DistributionUnit;
  of: (result: RoleResult) => HistogramJson | null | undefined;
}

const named = (name: HistogramName) => (result: RoleResult) => result.histograms[name];
const connections = { noun: 'connections', unit: 'ms', quantity: 'time' } as const;
const messages = { noun: 'messages', unit: 'ms', quantity: 'latency' } as const;

/** In the order of the menu. */
const looks: readonly Look[] = [
  { id: 'latency', label: 'Message latency', ...messages, of: (result) => result.latency },
  { id: 'roundTrip', label: 'Round trip', ...messages, of: named('roundTrip') },
  {
    id: 'exchange',
    label: 'Exchange, due to answered',
    ...messages,
    quantity: 'time',
    of: named('exchange'),
  },
  {
    id: 'readingAge',
    label: 'Reading age',
    noun: 'readings',
    unit: 'ms',
    quantity: 'age',
    of: named('readingAge'),
  },
  { id: 'phase.set-up', label: 'Connection set-up', ...connections, of: named('phase.set-up') },
  { id: 'phase.tcp', label: 'Phase tcp', ...connections, of: named('phase.tcp') },
  { id: 'phase.tls', label: 'Phase tls', ...connections, of: named('phase.tls') },
  { id: 'phase.connect', label: 'Phase connect', ...connections, of: named('phase.connect') },
  { id: 'phase.subscribe', label: 'Phase subscribe', ...connections, of: named('phase.subscribe') },
  {
    id: 'encryption',
    label: 'Encryption',
    ...messages,
    quantity: 'time',
    unit: 'µs',
    of: named('encryption'),
  },
  {
    id: 'decryption',
    label: 'Decryption',
    ...messages,
    quantity: 'time',
    unit: 'µs',
    of: named('decryption'),
  },
  {
    id: 'lateness',
    label: 'Lateness of the generator',
    ...messages,
    quantity: 'lateness',
    of: (result) => result.lateness,
  },
];

/** Every distribution with values in it; with the device in its name where two devices have the same. */
export function distributionsOf(run: Pick<RunDetail, 'results'>): Distribution[] {
  return looks.flatMap(({ of, ...look }) => {
    const found = roles.flatMap((role) => {
      const together = mergeResults(run.results.filter((result) => result.role === role));
      const json = together && of(together);
      return json && json.count > 0 ? [{ ...look, role, histogram: json }] : [];
    });
    return found.length < 2
      ? found
      : found.map((one) => ({ ...one, id: `${one.id} ${one.role}`, label: `${one.label}, ${one.role}` }));
  });
}

type Evidence = Pick<RunDetail, 'results' | 'treatment'>;

const evidenceOf = ({ results, treatment }: Evidence) => ({ spec: treatment.spec, results });

/** What the page opens with: the latency that this Run is judged by, else the first that there is. */
export function leadingDistribution(run: Evidence, all: readonly Distribution[]): Distribution | undefined {
  const wanted = latencyKind(evidenceOf(run)) === 'round-trip' ? 'roundTrip' : 'latency';
  return all.find((one) => one.id === wanted) ?? all[0];
}

/** Which clocks stand behind a latency, and how far it can be wrong by them; empty where no clock is compared. */
export function describeClocks(run: Evidence, id: string): string {
  const evidence = evidenceOf(run);
  const boundUs = latencyBoundUs(evidence);
  const bound = boundUs === null ? '' : `±${formatQuantity(boundUs / 1000, 'ms')}`;
  if (id === 'roundTrip') {
    if (latencyKind(evidence) !== 'round-trip') return 'There and back, by one clock.';
    return boundUs === null
      ? 'Round trip, because the clocks were not compared.'
      : `Round trip, because the clocks bound one way only to ${bound}: over 10${NBSP}% of its median.`;
  }
  if (id !== 'latency' && id !== 'readingAge') return '';
  if (boundUs === null) return 'One way; the clocks of the devices were not compared.';
  return boundUs === 0 ? 'One way, by one clock.' : `One way, ${bound} by the clocks.`;
}

/** Why a Run holds none at all, as a sentence. */
export function whyNoDistribution({ failure, treatment }: Pick<RunDetail, 'failure' | 'treatment'>): string {
  if (failure !== null) return 'The run failed before anything was timed.';
  return treatment.spec.workload === 'states'
    ? 'This workload counts bytes and times nothing.'
    : 'No message arrived with a readable stamp, so no latency was measured.';
}
