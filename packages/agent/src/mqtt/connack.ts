import type { MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';
import { MqttProtocolError } from './mqtt-protocol-error.ts';
import { readVariableInteger, variableIntegerBytes } from './variable-integer.ts';

/** What a broker grants in CONNACK (MQTT 5 section 3.2.2.3). */
export interface ConnectionGrant {
  /** Return code or reason code; 0 is success. */
  code: number;
  /** The broker's own words. */
  reason: string | null;
  /** The broker still has the session of an earlier connection. */
  sessionPresent: boolean;
  /** null before MQTT 5. */
  receiveMaximum: number | null;
  /** null before MQTT 5 and where the broker sets no limit. */
  maximumPacketBytes: number | null;
  /** 2 unless the broker says less. */
  maximumQos: number;
  /** Seconds; 0 when the broker asks for no keep-alive. */
  serverKeepAliveS: number;
}

/** How the value of each property is laid out (MQTT 5 section 2.2.2.2): bytes of an integer, or of a length before. */
const integers: Readonly<Record<number, number>> = {
  17: 4,
  19: 2,
  33: 2,
  34: 2,
  36: 1,
  37: 1,
  39: 4,
  40: 1,
  41: 1,
  42: 1,
};
const texts: ReadonlySet<number> = new Set([18, 21, 22, 26, 28, 31]);
const userProperty = 38;

const ids = {
  serverKeepAlive: 19,
  reason: 31,
  receiveMaximum: 33,
  maximumQos: 36,
  maximumPacketBytes: 39,
} as const;

/** Reads one whole CONNACK, header included. Throws MqttProtocolError. */
export function parseConnack(packet: Uint8Array, mqttVersion: MqttVersion): ConnectionGrant {
  const at = 1 + variableIntegerBytes(readVariableInteger(packet, 1, packet.length));
  const code = packet[at + 1];
  if (code === undefined) throw new MqttProtocolError('a CONNACK without return code');
  // A broker without MQTT 5 refuses it in the words of MQTT 3.1.1: without properties (MQTT 5 section 4.13.2).
  const mqtt5 = mqttVersion === '5.0' && !(code !== 0 && packet.length === at + 2);
  const properties = mqtt5
    ? readProperties(packet, at + 2)
    : { numbers: new Map<number, number>(), reason: null };
  const { numbers, reason } = properties;
  return {
    code,
    reason,
    sessionPresent: (packet[at]! & 1) === 1,
    receiveMaximum: mqtt5 ? (numbers.get(ids.receiveMaximum) ?? 65_535) : null,
    maximumPacketBytes: numbers.get(ids.maximumPacketBytes) ?? null,
    maximumQos: numbers.get(ids.maximumQos) ?? 2,
    serverKeepAliveS: numbers.get(ids.serverKeepAlive) ?? 0,
  };
}

function readProperties(
  packet: Uint8Array,
  start: number,
): { numbers: Map<number, number>; reason: string | null } {
  const numbers = new Map<number, number>();
  let reason: string | null = null;
  const length = readVariableInteger(packet, start, packet.length);
  let at = start + variableIntegerBytes(Math.max(0, length));
  const end = at + length;
  if (length < 0 || end > packet.length) throw new MqttProtocolError('CONNACK properties that are cut off');
  while (at < end) {
    const id = packet[at]!;
    at += 1;
    const bytes = integers[id];
    if (bytes !== undefined) {
      numbers.set(id, readInteger(packet, at, bytes));
      at += bytes;
    } else if (texts.has(id) || id === userProperty) {
      const next = at + 2 + readInteger(packet, at, 2);
      if (id === ids.reason) reason = Buffer.from(packet.subarray(at + 2, next)).toString('utf8');
      // A user property is two texts.
      at = id === userProperty ? next + 2 + readInteger(packet, next, 2) : next;
    } else throw new MqttProtocolError(`CONNACK property ${id}`);
  }
  return { numbers, reason };
}

function readInteger(packet: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i += 1) value = value * 256 + (packet[at + i] ?? 0);
  return value;
}
