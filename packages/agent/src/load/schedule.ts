import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';

/** When messages are due. Times in µs on whichever clock `startUs` is. */
export interface Schedule {
  startUs: number;
  /** Between two messages of one publisher. */
  periodUs: number;
  publishers: number;
}

/** Period of each publisher's messages in µs: a message goes when its batch of readings is complete. */
export function messagePeriodUs(
  spec: Pick<TrialSpec, 'readingsPerMessage'>,
  readingsPerSecond: number,
): number {
  return (1e6 * spec.readingsPerMessage) / readingsPerSecond;
}

/** Message k of publisher i is due at start + (k + i / publishers) x period. */
export function dueUsOf(schedule: Schedule, publisher: number, k: number): number {
  return schedule.startUs + (k + publisher / schedule.publishers) * schedule.periodUs;
}

/** How many messages of a publisher are due at `atUs`, that instant included. */
export function dueCount(schedule: Schedule, publisher: number, atUs: number): number {
  const estimate = Math.floor(
    (atUs - schedule.startUs) / schedule.periodUs - publisher / schedule.publishers,
  );
  let count = Math.max(0, estimate + 1);
  // Rounding may be off by one; dueUsOf decides.
  if (count > 0 && dueUsOf(schedule, publisher, count - 1) > atUs) count -= 1;
  else if (dueUsOf(schedule, publisher, count) <= atUs) count += 1;
  return count;
}

/** How many messages of a publisher are due before `atUs`, that instant excluded. */
export function dueCountBefore(schedule: Schedule, publisher: number, atUs: number): number {
  const count = dueCount(schedule, publisher, atUs);
  return count > 0 && dueUsOf(schedule, publisher, count - 1) >= atUs ? count - 1 : count;
}
