import type { TrialSpec, WorkloadKind } from '../domain/plans/trial-spec.ts';

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
