import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LoadShare } from '@mqttlab/shared/messages/agent';

/** Times at which messages are due, in µs on the clock of `startUs`. */
export interface Schedule {
  startUs: number;
  /** Interval between two messages from one publisher. */
  periodUs: number;
  publishers: number;
  /** Absent if messages are due continuously. */
  bursts?: Bursts;
}

/**
 * Number of messages from each publisher at the beginning of every cycle; no more follow until the next
 * cycle.
 */
export interface Bursts {
  messages: number;
  cycleUs: number;
}

/**
 * Returns the period of each publisher's messages in µs: a message is sent when its batch of readings is
 * complete.
 */
export function messagePeriodUs(
  spec: Pick<TrialSpec, 'readingsPerMessage'>,
  readingsPerSecond: number,
): number {
  return (1e6 * spec.readingsPerMessage) / readingsPerSecond;
}

/**
 * Returns the schedule of each publisher's messages from `beginUs` on; null for "as fast as possible".
 * Publishers on several devices are interleaved: each device starts slightly after the previous one.
 */
export function makeSchedule(
  spec: TrialSpec,
  beginUs: number,
  share: LoadShare | null = null,
): Schedule | null {
  const { readingsPerSecond, publishers, burstOnMs, burstOffMs } = spec;
  if (readingsPerSecond === null) return null;
  const periodUs = messagePeriodUs(spec, readingsPerSecond);
  const startUs = beginUs + (share === null ? 0 : (share.index / share.publishers) * periodUs);
  if (spec.workload !== 'burst') return { startUs, periodUs, publishers };
  const onUs = burstOnMs * 1000;
  // Rounded first, so that an integer number of periods does not become slightly smaller.
  const messages = Math.max(1, Math.floor(Number((onUs / periodUs).toFixed(6))));
  const bursts = { messages, cycleUs: onUs + burstOffMs * 1000 };
  return { startUs, periodUs: Math.min(periodUs, onUs), publishers, bursts };
}

/**
 * Returns the schedule of all publishers' messages in the order in which they are due, as if from one
 * publisher.
 */
export function joinPublishers({ startUs, periodUs, publishers, bursts }: Schedule): Schedule {
  const joined: Schedule = { startUs, periodUs: periodUs / publishers, publishers: 1 };
  if (bursts === undefined) return joined;
  return { ...joined, bursts: { ...bursts, messages: bursts.messages * publishers } };
}

/**
 * Returns a due time: message k of publisher i is due at start + (k + i / publishers) x period; in bursts, k
 * starts at 0 in each burst.
 */
export function dueUsOf(schedule: Schedule, publisher: number, k: number): number {
  const { startUs, periodUs, publishers, bursts } = schedule;
  if (bursts === undefined) return startUs + (k + publisher / publishers) * periodUs;
  const burst = Math.floor(k / bursts.messages);
  const within = k - burst * bursts.messages;
  return startUs + burst * bursts.cycleUs + (within + publisher / publishers) * periodUs;
}

/** Returns the number of messages from a publisher that are due up to and including `atUs`. */
export function dueCount(schedule: Schedule, publisher: number, atUs: number): number {
  let count = Math.max(0, estimateCount(schedule, publisher, atUs - schedule.startUs));
  // Rounding may be off by one, so dueUsOf decides.
  if (count > 0 && dueUsOf(schedule, publisher, count - 1) > atUs) count -= 1;
  else if (dueUsOf(schedule, publisher, count) <= atUs) count += 1;
  return count;
}

function estimateCount(schedule: Schedule, publisher: number, sinceUs: number): number {
  const { periodUs, publishers, bursts } = schedule;
  if (bursts === undefined) return Math.floor(sinceUs / periodUs - publisher / publishers) + 1;
  const burst = Math.max(0, Math.floor(sinceUs / bursts.cycleUs));
  const within = Math.floor((sinceUs - burst * bursts.cycleUs) / periodUs - publisher / publishers) + 1;
  return burst * bursts.messages + Math.min(bursts.messages, Math.max(0, within));
}

/** Returns the number of messages from a publisher that are due before `atUs`. */
export function dueCountBefore(schedule: Schedule, publisher: number, atUs: number): number {
  const count = dueCount(schedule, publisher, atUs);
  return count > 0 && dueUsOf(schedule, publisher, count - 1) >= atUs ? count - 1 : count;
}
