import { isCoap } from '../domain/plans/trial-levels.ts';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';
import type { WorkloadKind } from '../domain/plans/workload.ts';

/** True if publishers send messages to subscribers; the other kinds measure only connections. */
export function carriesMessages(workload: WorkloadKind): boolean {
  return workload !== 'handshake' && workload !== 'states' && workload !== 'availability';
}

/** Describes a workload for sentences: "a states workload". */
export function inWords(workload: WorkloadKind): string {
  return `${/^[aeiou]/.test(workload) ? 'an' : 'a'} ${workload} workload`;
}

/** True if publishers open a connection for each message. */
export function reconnects(spec: Pick<TrialSpec, 'workload' | 'connectionUse'>): boolean {
  return spec.workload === 'reconnect' || (spec.workload === 'stream' && spec.connectionUse !== 'kept');
}

/** True if the load is a number of connections. */
export function isCounted({ workload }: Pick<TrialSpec, 'workload'>): boolean {
  return workload === 'handshake' || workload === 'states';
}

/** Minimum run length for one point per second; shorter runs would have too few points. */
const shortMs = 10_000;

/**
 * Returns the bucket length for the live latency chart of a short run; null if one point per second is
 * enough.
 */
export function liveBucketMs({ measureMs }: Pick<TrialSpec, 'measureMs'>): number | null {
  return measureMs < shortMs ? 100 : null;
}

/** True if the load can end before the measure phase. */
export function endsEarly(spec: Pick<TrialSpec, 'workload' | 'messages'>): boolean {
  return isCounted(spec) || (spec.workload === 'stream' && spec.messages !== null);
}

/** Returns the share of time in which messages are due. */
export function dutyOf(spec: Pick<TrialSpec, 'workload' | 'burstOnMs' | 'burstOffMs'>): number {
  return spec.workload === 'burst' ? spec.burstOnMs / (spec.burstOnMs + spec.burstOffMs) : 1;
}

/** Returns the planned delay of each message, in ms: the delay to the broker plus the delay from it. */
export function heldBackMs({ impairment, applicationProtocol }: TrialSpec): number {
  const { delayMs, jitterMs, direction } = impairment;
  const times = direction === 'both' || isCoap({ applicationProtocol }) ? 2 : 1;
  return times * (delayMs + jitterMs);
}

/**
 * Returns the longest time between two due messages over all publishers, in ms; null if messages are sent as
 * fast as possible.
 */
export function longestDueGapMs(spec: TrialSpec): number | null {
  const { readingsPerSecond, readingsPerMessage, publishers, alterEvery, workload } = spec;
  if (readingsPerSecond === null) return null;
  const periodMs = (1000 * readingsPerMessage) / readingsPerSecond;
  if (workload === 'burst') return spec.burstOffMs + 2 * Math.min(periodMs, spec.burstOnMs);
  // Receivers reject altered messages, which have the same sequence numbers for every publisher.
  return alterEvery > 0 ? 2 * periodMs : periodMs / publishers;
}

/** Chart that answers the question of a workload if a single response does not. */
export type AnswerPicture =
  /** One metric per part, all with the same unit, shown side by side or stacked to their sum. */
  | { layout: 'beside' | 'stacked'; title: string; parts: readonly { label: string; metric: string }[] }
  | { layout: 'over time'; role: 'subscriber'; metric: string };

const phases: AnswerPicture = {
  layout: 'stacked',
  title: 'Connection set-up by phase',
  parts: [
    { label: 'TCP', metric: 'setUp.tcp' },
    { label: 'TLS', metric: 'setUp.tls' },
    { label: 'CONNECT', metric: 'setUp.connect' },
  ],
};

/** Response and chart shown first in the results of each kind of workload. */
export const answers: Readonly<Partial<Record<WorkloadKind, { response?: string; picture: AnswerPicture }>>> =
  {
    reconnect: { picture: phases },
    handshake: { response: 'setUp.total', picture: phases },
    states: {
      response: 'setUp.bytes',
      picture: {
        layout: 'beside',
        title: 'Bytes to reach each state of a connection',
        parts: ['CON', 'SUB', 'PUB', 'DISC'].map((label) => ({ label, metric: `state.${label}.bytes` })),
      },
    },
    availability: {
      response: 'availability.reached',
      picture: { layout: 'over time', role: 'subscriber', metric: 'probe.reached' },
    },
  };

/** Returns the chart for trials of the same kind; null if no single chart answers all of them. */
export function answerPictureOf(
  specs: readonly Pick<TrialSpec, 'workload' | 'connectionUse'>[],
): AnswerPicture | null {
  const kinds = new Set(specs.map((spec) => (reconnects(spec) ? 'reconnect' : spec.workload)));
  const [kind] = kinds;
  return kinds.size === 1 && kind ? (answers[kind]?.picture ?? null) : null;
}
