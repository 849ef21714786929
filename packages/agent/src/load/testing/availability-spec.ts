import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeTestSpec } from '../../testing/specs.ts';

/** A Trial of the workload "availability" against Mosquitto. */
export function makeAvailabilitySpec(change: Partial<TrialSpec>): TrialSpec {
  return makeTestSpec({
    mqttVersion: '5.0',
    broker: 'mosquitto',
    workload: 'availability',
    warmUpMs: 600,
    measureMs: 2_500,
    drainTimeoutMs: 5_000,
    topic: 'availability',
    ...change,
  });
}
