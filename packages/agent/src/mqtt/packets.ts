import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { type MqttVersion, payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-levels';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { variableIntegerBytes, writeVariableInteger } from './packet-parser.ts';

/*
 * The few packets of a client other than messages, encoded by hand, because a general encoder fills tables on
 * its first call, which would be the measured call.
 */

const protocols: Readonly<Record<MqttVersion, { name: string; level: number }>> = {
  '3.1': { name: 'MQIsdp', level: 3 },
  '3.1.1': { name: 'MQTT', level: 4 },
  '5.0': { name: 'MQTT', level: 5 },
};

/** Information about a client that CONNECT announces (MQTT 5 section 3.1). */
export interface MqttSession {
  clientId: string;
  /** Absent or null if there are none. */
  credentials?: PrepareClient['credentials'];
  /**
   * How long the broker stores the session after the connection has ended, in s; if absent, the session ends
   * with the connection.
   */
  sessionExpiryS?: number;
  /** In s; absent: none. */
  keepAliveS?: number;
}

/** Flags in CONNECT (MQTT 5 section 3.1.2.3). */
const cleanStart = 0x02;
const withPassword = 0x40;
const withUsername = 0x80;
const sessionExpiryId = 0x11;

/**
 * Encodes CONNECT, by default without keep-alive, and with a clean session unless the session must persist.
 * The client announces nothing else (MQTT 5 section 3.1). Before MQTT 5, brokers store a session without a
 * time limit.
 */
export function encodeConnect(
  mqttVersion: MqttVersion,
  { clientId, credentials = null, sessionExpiryS, keepAliveS = 0 }: MqttSession,
): Buffer {
  const { name, level } = protocols[mqttVersion];
  const clean = sessionExpiryS === undefined ? cleanStart : 0;
  const body = [
    ...text(name),
    level,
    clean | (credentials === null ? 0 : withUsername | withPassword),
    keepAliveS >> 8,
    keepAliveS & 0xff,
    ...(sessionExpiryS === undefined
      ? noProperties(mqttVersion)
      : sessionExpiry(mqttVersion, sessionExpiryS)),
    ...text(clientId),
    ...(credentials === null ? [] : [...text(credentials.username), ...text(credentials.password)]),
  ];
  return packet(0x10, body);
}

/** Encodes the only subscription of a subscriber; its packet identifier is 1 (MQTT 5 section 3.8). */
export function encodeSubscribe(
  spec: Pick<TrialSpec, 'mqttVersion' | 'topic' | 'qos' | 'sharedSubscription'>,
): Buffer {
  return packet(0x82, [0, 1, ...noProperties(spec.mqttVersion), ...text(topicFilterOf(spec)), spec.qos]);
}

/**
 * Returns the topic filter. All subscribers in a run form one group if they share the subscription (MQTT 5
 * section 4.8.2).
 */
function topicFilterOf({
  topic,
  sharedSubscription,
}: Pick<TrialSpec, 'topic' | 'sharedSubscription'>): string {
  return sharedSubscription ? `$share/mqttlab/${topic}` : topic;
}

/** Encodes a message without payload; its packet identifier is 1 at QoS 1 and 2 (MQTT 5 section 3.3). */
export function encodeEmptyPublish(spec: Pick<TrialSpec, 'mqttVersion' | 'topic' | 'qos'>): Buffer {
  const packetId = spec.qos === 0 ? [] : [0, 1];
  return packet(0x30 | (spec.qos << 1), [
    ...text(spec.topic),
    ...packetId,
    ...noProperties(spec.mqttVersion),
  ]);
}

/** Encodes DISCONNECT. An empty body means the reason "normal disconnection" (MQTT 5 section 3.14.2.1). */
export const encodeDisconnect = () => packet(0xe0, []);
export const encodePing = () => packet(0xc0, []);

function noProperties(mqttVersion: MqttVersion): number[] {
  return mqttVersion === '5.0' ? [0] : [];
}

/** Encodes the session expiry interval (MQTT 5 section 3.1.2.11.2). */
function sessionExpiry(mqttVersion: MqttVersion, seconds: number): number[] {
  if (mqttVersion !== '5.0') return [];
  const bytes = [24, 16, 8, 0].map((shift) => (seconds >>> shift) & 0xff);
  return [1 + bytes.length, sessionExpiryId, ...bytes];
}

/** Encodes a text as UTF-8 with a length prefix (MQTT 5 section 1.5.4). */
function text(value: string): number[] {
  const bytes = Buffer.from(value, 'utf8');
  return [bytes.length >> 8, bytes.length & 0xff, ...bytes];
}

function packet(header: number, body: readonly number[]): Buffer {
  const bytes = Buffer.alloc(1 + variableIntegerBytes(body.length) + body.length);
  bytes[0] = header;
  bytes.set(body, writeVariableInteger(bytes, 1, body.length));
  return bytes;
}

/** A PUBLISH packet encoded once (MQTT 5 section 3.3); only identifier and stamp differ between messages. */
export interface PublishTemplate {
  readonly packet: Uint8Array;
  /** Offset of the packet identifier; 0 at QoS 0, which has none. */
  readonly packetIdAt: number;
  readonly payloadAt: number;
  /** Size of the readings in bytes; encrypted and encoded they take `carriedBytes` of the packet. */
  readonly payloadBytes: number;
  readonly carriedBytes: number;
  /** True if the payload has room for a stamp. */
  readonly stamped: boolean;
}

/** Makes a template. `seed` determines the payload: pseudo-random bytes that cannot be compressed. */
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
  // The property length of MQTT 5 between these fields stays 0.
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

/** Returns pseudo-random bytes from xorshift32 (Marsaglia 2003): the same bytes for the same seed. */
function fillRandom(bytes: Uint8Array, seed: number): void {
  let state = seed >>> 0 || 0x9e3779b9;
  for (let i = 0; i < bytes.length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state >>> 24;
  }
}

/** Larger than the fixed header, topic and properties that a broker may add. */
const headerBytes = 4_096;

/**
 * Returns how many bytes of an arriving packet to retain: all if payloads are read, 0 if the stamp is enough.
 */
export function neededPacketBytes(spec: TrialSpec): number {
  return travelsAsIs(spec) ? 0 : carriedBytesOf(spec) + headerBytes;
}

/** Returns true if payloads are neither encrypted nor encoded. */
export function travelsAsIs(spec: Pick<TrialSpec, 'payloadCipher' | 'payloadEncoding'>): boolean {
  return spec.payloadCipher === null && spec.payloadEncoding === 'binary';
}

/** Writer for packets. `done` is called when the bytes can be reused, even if they could not be sent. */
export interface ByteWriter {
  write(bytes: Buffer, done: () => void): void;
}

/**
 * A buffer on loan. It belongs to its borrower until `giveBack` is called, for example by a write callback.
 */
export interface Loan<Borrower> {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly view: DataView;
  borrower: Borrower | null;
  /** Returns the first `length` bytes, created once per length so that writing allocates nothing. */
  first(length: number): Buffer;
  readonly giveBack: () => void;
}

interface BufferPoolOptions<Borrower> {
  bufferBytes: number;
  /** Written once into every new buffer. */
  fill?: (bytes: Buffer) => void;
  /** Called after a buffer has been returned. */
  onReturned: (borrower: Borrower) => void;
}

/**
 * A pool of buffers of one size, created if none is free and never reused before their write has finished.
 */
export class BufferPool<Borrower> {
  readonly #options: BufferPoolOptions<Borrower>;
  readonly #free: Loan<Borrower>[] = [];

  constructor(options: BufferPoolOptions<Borrower>) {
    this.#options = options;
  }

  take(borrower: Borrower): Loan<Borrower> {
    const loan = this.#free.pop() ?? this.#make();
    loan.borrower = borrower;
    return loan;
  }

  #make(): Loan<Borrower> {
    const bytes = Buffer.from(new ArrayBuffer(this.#options.bufferBytes));
    this.#options.fill?.(bytes);
    const beginnings = new Map<number, Buffer>();
    const loan: Loan<Borrower> = {
      bytes,
      view: new DataView(bytes.buffer),
      borrower: null,
      first(length) {
        let part = beginnings.get(length);
        if (part === undefined) {
          part = bytes.subarray(0, length);
          beginnings.set(length, part);
        }
        return part;
      },
      giveBack: () => {
        const borrower = loan.borrower;
        if (borrower === null) return;
        loan.borrower = null;
        this.#free.push(loan);
        this.#options.onReturned(borrower);
      },
    };
    return loan;
  }
}
