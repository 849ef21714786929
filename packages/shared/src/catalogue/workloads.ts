import { isCoap, type TrialSpec } from '../domain/plans/trial-spec.ts';
import type { WorkloadKind } from '../domain/plans/workload.ts';

/** True if messages are sent from publishers to subscribers; the other kinds only open connections. */
export function carriesMessages(workload: WorkloadKind): boolean {
  return workload !== 'handshake' && workload !== 'states' && workload !== 'availability';
}

/** "a states workload", for sentences. */
export function inWords(workload: WorkloadKind): string {
  return `${/^[aeiou]/.test(workload) ? 'an' : 'a'} ${workload} workload`;
}

/** Whether publishers make a connection for each message. */
export function reconnects(spec: Pick<TrialSpec, 'workload' | 'connectionUse'>): boolean {
  return spec.workload === 'reconnect' || (spec.workload === 'stream' && spec.connectionUse !== 'kept');
}

/** Whether the load is so many connections. */
export function isCounted({ workload }: Pick<TrialSpec, 'workload'>): boolean {
  return workload === 'handshake' || workload === 'states';
}

/** Below this a line of one point a second would say little. */
const shortMs = 10_000;

/** Length of the buckets in which Live draws the latency of a short run; null: it is drawn by the second. */
export function liveBucketMs({ measureMs }: Pick<TrialSpec, 'measureMs'>): number | null {
  return measureMs < shortMs ? 100 : null;
}

/** Whether the load may be over before the measure phase is. */
export function endsEarly(spec: Pick<TrialSpec, 'workload' | 'messages'>): boolean {
  return isCounted(spec) || (spec.workload === 'stream' && spec.messages !== null);
}

/** Share of the time in which messages are due. */
export function dutyOf(spec: Pick<TrialSpec, 'workload' | 'burstOnMs' | 'burstOffMs'>): number {
  return spec.workload === 'burst' ? spec.burstOnMs / (spec.burstOnMs + spec.burstOffMs) : 1;
}

/** What the link holds each message back on purpose, twice on its way: to the broker and from it. ms. */
export function heldBackMs({ impairment, applicationProtocol }: TrialSpec): number {
  const { delayMs, jitterMs, direction } = impairment;
  const times = direction === 'both' || isCoap({ applicationProtocol }) ? 2 : 1;
  return times * (delayMs + jitterMs);
}

/** Longest time between two messages that are due, of all publishers together; null as fast as possible. ms. */
export function longestDueGapMs(spec: TrialSpec): number | null {
  const { readingsPerSecond, readingsPerMessage, publishers, alterEvery, workload } = spec;
  if (readingsPerSecond === null) return null;
  const periodMs = (1000 * readingsPerMessage) / readingsPerSecond;
  if (workload === 'burst') return spec.burstOffMs + 2 * Math.min(periodMs, spec.burstOnMs);
  // Altered messages are refused, at the same number of every publisher.
  return alterEvery > 0 ? 2 * periodMs : periodMs / publishers;
}

/** The picture that answers what a kind of workload asks, where no single response does. */
export type AnswerPicture =
  /** A metric for each part, all of one unit: beside one another, or stacked to their sum. */
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

/** What each kind is about: the response that leads its tables without messages, and the picture its results open with. */
export const answers: Readonly<Partial<Record<WorkloadKind, { response?: string; picture: AnswerPicture }>>> =
  {
    reconnect: { picture: phases },
    handshake: { response: 'setUp.total', picture: phases },
    states: {
      response: 'setUp.bytes',
      picture: {
        layout: 'beside',
        title: 'Bytes to each state of a connection',
        parts: ['CON', 'SUB', 'PUB', 'DISC'].map((label) => ({ label, metric: `state.${label}.bytes` })),
      },
    },
    availability: {
      response: 'availability.reached',
      picture: { layout: 'over time', role: 'subscriber', metric: 'probe.reached' },
    },
  };

/** Of trials that are all about the same; null where no picture answers them all. */
export function answerPictureOf(
  specs: readonly Pick<TrialSpec, 'workload' | 'connectionUse'>[],
): AnswerPicture | null {
  const kinds = new Set(specs.map((spec) => (reconnects(spec) ? 'reconnect' : spec.workload)));
  const [kind] = kinds;
  return kinds.size === 1 && kind ? (answers[kind]?.picture ?? null) : null;
}
