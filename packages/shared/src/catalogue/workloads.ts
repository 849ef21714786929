import { isCoap, type TrialSpec, type WorkloadKind } from '../domain/plans/trial-spec.ts';

/** Whether messages travel from publishers to subscribers; the other kinds look at connections alone. */
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

/** Whether the load may be over before the measure phase is. */
export function endsEarly({ workload, messages }: Pick<TrialSpec, 'workload' | 'messages'>): boolean {
  return workload === 'handshake' || workload === 'states' || (workload === 'stream' && messages !== null);
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
  // What was altered is refused, at the same number of every publisher.
  return alterEvery > 0 ? 2 * periodMs : periodMs / publishers;
}
