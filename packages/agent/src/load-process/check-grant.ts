import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ConnectionGrant } from '../mqtt/connack.ts';
import { describeReturnCode } from '../mqtt/mqtt-reasons.ts';
import { loadFailure } from './failures.ts';

/** Throws RunFailure where CONNACK refuses, or allows less than the Trial asks. */
export function checkGrant(grant: ConnectionGrant, { mqttVersion, qos }: TrialSpec): void {
  if (grant.code !== 0) {
    const reason = [describeReturnCode(grant.code, mqttVersion), grant.reason].filter(Boolean).join(': ');
    throw loadFailure('connack-refused', `The broker refused MQTT ${mqttVersion}: ${reason}.`);
  }
  if (grant.maximumQos < qos) {
    throw loadFailure(
      'negotiation-mismatch',
      `The broker allows QoS ${grant.maximumQos} at most, not ${qos}.`,
    );
  }
}

/** The granted QoS of a SUBACK. Throws RunFailure where it refuses, or grants less than the Trial asks. */
export function readGrantedQos(suback: Uint8Array, { topic, qos }: TrialSpec): 0 | 1 | 2 {
  // One subscription, so the last byte is its return code (MQTT 5 section 3.9.3).
  const code = suback[suback.length - 1] ?? 0x80;
  if (code !== 0 && code !== 1 && code !== 2) {
    const reason = describeReturnCode(code, '5.0');
    throw loadFailure('suback-refused', `The broker refused to subscribe to ${topic}: ${reason}.`);
  }
  if (code < qos) {
    throw loadFailure('negotiation-mismatch', `The broker granted QoS ${code} instead of ${qos}.`);
  }
  return code;
}
