import type { MqttVersion, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { loadFailure } from '../processes/failures.ts';
import { protocolError, readVariableInteger, variableIntegerBytes } from './packet-parser.ts';

/** Values that a broker grants in CONNACK (MQTT 5 section 3.2.2.3). */
export interface ConnectionGrant {
  /** Return code or reason code; 0 is success. */
  code: number;
  /** Reason string from the broker. */
  reason: string | null;
  /** True if the broker still stores the session of an earlier connection. */
  sessionPresent: boolean;
  /** null before MQTT 5. */
  receiveMaximum: number | null;
  /** null before MQTT 5 and if the broker sets no limit. */
  maximumPacketBytes: number | null;
  /** Maximum QoS: 2 unless the broker announces less. */
  maximumQos: number;
  /** Server keep-alive in seconds; 0 if the broker requests no keep-alive. */
  serverKeepAliveS: number;
}

/** Layout of each property value (MQTT 5 section 2.2.2.2): integers, or texts with a length prefix. */
const oneByte = [36, 37, 40, 41, 42];
const twoBytes = [19, 33, 34];
const fourBytes = [17, 39];
const texts = [18, 21, 22, 26, 28, 31];
const userProperty = 38;

function integerBytesOf(id: number): number {
  if (oneByte.includes(id)) return 1;
  if (twoBytes.includes(id)) return 2;
  return fourBytes.includes(id) ? 4 : 0;
}

const ids = {
  serverKeepAlive: 19,
  reason: 31,
  receiveMaximum: 33,
  maximumQos: 36,
  maximumPacketBytes: 39,
} as const;

/** Reads one complete CONNACK, including its header. Throws Failure 'protocol-error'. */
export function parseConnack(packet: Uint8Array, mqttVersion: MqttVersion): ConnectionGrant {
  const at = 1 + variableIntegerBytes(readVariableInteger(packet, 1, packet.length));
  const [flags = 0, code] = packet.subarray(at);
  if (code === undefined) throw protocolError('a CONNACK without return code');
  // A broker without MQTT 5 refuses the connection in the format of MQTT 3.1.1, without properties (MQTT 5
  // section 4.13.2).
  const mqtt5 = mqttVersion === '5.0' && !(code !== 0 && packet.length === at + 2);
  const properties = mqtt5
    ? readProperties(packet, at + 2)
    : { numbers: new Map<number, number>(), reason: null };
  const { numbers, reason } = properties;
  return {
    code,
    reason,
    sessionPresent: (flags & 1) === 1,
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
  if (length < 0 || end > packet.length) throw protocolError('truncated CONNACK properties');
  while (at < end) {
    const id = readInteger(packet, at, 1);
    at += 1;
    const bytes = integerBytesOf(id);
    if (bytes > 0) {
      numbers.set(id, readInteger(packet, at, bytes));
      at += bytes;
    } else if (texts.includes(id) || id === userProperty) {
      const next = at + 2 + readInteger(packet, at, 2);
      if (id === ids.reason) reason = Buffer.from(packet.subarray(at + 2, next)).toString('utf8');
      // A user property consists of two texts.
      at = id === userProperty ? next + 2 + readInteger(packet, next, 2) : next;
    } else throw protocolError(`CONNACK property ${id}`);
  }
  return { numbers, reason };
}

function readInteger(packet: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i += 1) value = value * 256 + (packet[at + i] ?? 0);
  return value;
}

/** Throws Failure if CONNACK refuses the connection or grants less than the trial requires. */
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

/**
 * Returns the granted QoS in a SUBACK. Throws Failure if the broker refuses, or grants less than the trial
 * requires.
 */
export function readGrantedQos(suback: Uint8Array, { topic, qos }: TrialSpec): 0 | 1 | 2 {
  // There is one subscription, so the last byte is its return code (MQTT 5 section 3.9.3).
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

/** Return codes in CONNACK for MQTT 3.1 and 3.1.1 (section 3.2.2.3). */
const returnCodes: Readonly<Record<number, string>> = {
  1: 'unacceptable protocol version',
  2: 'client identifier rejected',
  3: 'server unavailable',
  4: 'bad user name or password',
  5: 'not authorised',
};

/** Reason codes in MQTT 5 (section 2.4) that a broker can send to a client. */
const reasonCodes: Readonly<Record<number, string>> = {
  0: 'normal',
  128: 'unspecified error',
  129: 'malformed packet',
  130: 'protocol error',
  131: 'implementation specific error',
  132: 'unsupported protocol version',
  133: 'client identifier not valid',
  134: 'bad user name or password',
  135: 'not authorised',
  136: 'server unavailable',
  137: 'server busy',
  138: 'banned',
  139: 'server shutting down',
  140: 'bad authentication method',
  141: 'keep alive timeout',
  142: 'session taken over',
  143: 'topic filter invalid',
  144: 'topic name invalid',
  145: 'packet identifier in use',
  146: 'packet identifier not found',
  147: 'receive maximum exceeded',
  148: 'topic alias invalid',
  149: 'packet too large',
  150: 'message rate too high',
  151: 'quota exceeded',
  152: 'administrative action',
  153: 'payload format invalid',
  154: 'retain not supported',
  155: 'QoS not supported',
  156: 'use another server',
  157: 'server moved',
  158: 'shared subscriptions not supported',
  159: 'connection rate exceeded',
  160: 'maximum connect time',
  161: 'subscription identifiers not supported',
  162: 'wildcard subscriptions not supported',
};

export function describeReturnCode(code: number, mqttVersion: MqttVersion): string {
  // A refusal below 128 is from a broker without MQTT 5.
  const texts = mqttVersion === '5.0' && !(code in returnCodes) ? reasonCodes : returnCodes;
  return `${texts[code] ?? 'unknown reason'} (code ${code})`;
}
