import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { payloadBytesOf, stampBytes, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { variableIntegerBytes, writeVariableInteger } from './variable-integer.ts';

/** A PUBLISH packet encoded once (MQTT 5 section 3.3); only identifier and stamp change from message to message. */
export interface PublishTemplate {
  readonly packet: Uint8Array;
  /** Offset of the packet identifier; 0 at QoS 0, which has none. */
  readonly packetIdAt: number;
  readonly payloadAt: number;
  /** Of the readings; encrypted and encoded they take `carriedBytes` of the packet. */
  readonly payloadBytes: number;
  readonly carriedBytes: number;
  /** Whether the payload holds a whole stamp. */
  readonly stamped: boolean;
}

/** `seed` decides the payload: pseudo-random bytes that no compression can shorten. */
export function makePublishTemplate(spec: TrialSpec, seed: number): PublishTemplate {
  const topic = Buffer.from(spec.topic, 'utf8');
  const payloadBytes = payloadBytesOf(spec);
  const carriedBytes = carriedBytesOf(spec);
  const idBytes = spec.qos > 0 ? 2 : 0;
  const propertyBytes = spec.mqttVersion === '5.0' ? 1 : 0;
  const length = 2 + topic.length + idBytes + propertyBytes + carriedBytes;
  const packet = new Uint8Array(1 + variableIntegerBytes(length) + length);
  packet[0] = 0x30 | (spec.qos << 1);
  const topicAt = writeVariableInteger(packet, 1, length);
  packet[topicAt] = topic.length >> 8;
  packet[topicAt + 1] = topic.length & 0xff;
  packet.set(topic, topicAt + 2);
  const packetIdAt = topicAt + 2 + topic.length;
  // The property length that MQTT 5 puts in between stays 0.
  const payloadAt = packetIdAt + idBytes + propertyBytes;
  fillRandom(packet.subarray(payloadAt), seed);
  return {
    packet,
    packetIdAt: spec.qos > 0 ? packetIdAt : 0,
    payloadAt,
    payloadBytes,
    carriedBytes,
    stamped: payloadBytes >= stampBytes,
  };
}

/** xorshift32 (Marsaglia 2003): the same bytes for the same seed. */
function fillRandom(bytes: Uint8Array, seed: number): void {
  let state = seed >>> 0 || 0x9e3779b9;
  for (let i = 0; i < bytes.length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state >>> 24;
  }
}
