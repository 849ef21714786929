// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import type { Failure } from '@mqttlab/shared/kit/failure';
import { loadFailure } from '../processes/failures.ts';

/** Returns the failure for a broker that violated MQTT by sending `what`. */
export function protocolError(what: string): Failure {
  return loadFailure('protocol-error', `the broker sent ${what}`);
}

/** Packet types (MQTT 5 section 2.1.2). */
export const packetTypes = {
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  suback: 9,
  pingresp: 13,
  disconnect: 14,
} as const;

/** One PUBLISH; the same object is reused for every packet. Offsets are into `source`. */
export interface IncomingPublish {
  source: Uint8Array;
  qos: number;
  duplicate: boolean;
  retain: boolean;
  /** 0 at QoS 0. */
  packetId: number;
  topicAt: number;
  topicBytes: number;
  payloadAt: number;
  payloadBytes: number;
  /**
   * End of the retained bytes of the packet. If a packet arrives in several chunks, only its beginning is
   * retained.
   */
  retainedUntil: number;
}

export function makeIncomingPublish(source: Uint8Array = nothing): IncomingPublish {
  return {
    source,
    qos: 0,
    duplicate: false,
    retain: false,
    packetId: 0,
    topicAt: 0,
    topicBytes: 0,
    payloadAt: 0,
    payloadBytes: 0,
    retainedUntil: 0,
  };
}

export interface PacketSink {
  onPublish(publish: IncomingPublish): void;
  /** Called for PUBACK, PUBREC, PUBREL or PUBCOMP; the reason code is 0 before MQTT 5. */
  onAcknowledgement(type: number, packetId: number, reasonCode: number): void;
  /** Called for any other packet, including its header, which is only valid during the call. */
  onControl(type: number, packet: Uint8Array): void;
}

/**
 * Number of retained bytes of a packet that arrives in pieces, several times the size of topic, properties
 * and stamp.
 */
const usualRetainedBytes = 16_384;
const nothing = new Uint8Array(0);

/** Incremental parser of data from a broker (MQTT 3.1, 3.1.1 and 5.0). Allocates nothing per message. */
export class PacketParser {
  readonly #sink: PacketSink;
  readonly #mqtt5: boolean;
  readonly #retainedBytes: number;
  /** Allocated when the first packet arrives in pieces, because most connections never need it. */
  #retained: Uint8Array = nothing;
  /** State of the incomplete packet: bytes so far, and its complete length (0 if not yet known). */
  #passed = 0;
  #packetBytes = 0;
  readonly #publish = makeIncomingPublish();
  // The packet being delivered, as fields so that no object is created for it.
  #bodyAt = 0;
  #next = 0;
  #retainedUntil = 0;

  /** `retainedBytes` is the number of bytes of a packet in pieces that are retained for the sink. */
  constructor(sink: PacketSink, options: { mqtt5: boolean; retainedBytes?: number }) {
    this.#sink = sink;
    this.#mqtt5 = options.mqtt5;
    this.#retainedBytes = Math.max(usualRetainedBytes, options.retainedBytes ?? 0);
  }

  /** True if the last chunk ended inside a packet. */
  get isIncomplete(): boolean {
    return this.#passed > 0;
  }

  /**
   * Parses the bytes of a chunk up to `end`. The chunk can be reused afterwards. Throws Failure
   * 'protocol-error'.
   */
  push(chunk: Uint8Array, end: number, start = 0): void {
    let at = this.#passed > 0 ? this.#continue(chunk, start, end) : start;
    while (at + 1 < end) {
      const length = readVariableInteger(chunk, at + 1, end);
      if (length < 0) break;
      const bodyAt = at + 1 + variableIntegerBytes(length);
      const next = bodyAt + length;
      if (next > end) break;
      this.#bodyAt = bodyAt;
      this.#next = next;
      this.#retainedUntil = next;
      this.#deliver(chunk, at);
      at = next;
    }
    if (at < end) this.#retain(chunk, at, end);
  }

  /** Appends to the incomplete packet; returns the offset of the next packet. */
  #continue(chunk: Uint8Array, start: number, end: number): number {
    let at = start;
    while (this.#packetBytes === 0) {
      if (at === end) return at;
      // Reads one byte at a time until the length is complete: at most four bytes.
      this.#retain(chunk, at, at + 1);
      at += 1;
    }
    const until = Math.min(end, at + this.#packetBytes - this.#passed);
    this.#retain(chunk, at, until);
    if (this.#passed < this.#packetBytes) return until;
    this.#bodyAt = 1 + variableIntegerBytes(readVariableInteger(this.#retained, 1, this.#retainedBytes));
    this.#next = this.#passed;
    this.#retainedUntil = Math.min(this.#passed, this.#retainedBytes);
    this.#passed = 0;
    this.#packetBytes = 0;
    this.#deliver(this.#retained, 0);
    return until;
  }

  #retain(chunk: Uint8Array, from: number, until: number): void {
    if (this.#retained.length === 0) this.#retained = new Uint8Array(this.#retainedBytes);
    const room = this.#retainedBytes - this.#passed;
    if (room > 0) this.#retained.set(chunk.subarray(from, Math.min(until, from + room)), this.#passed);
    this.#passed += until - from;
    if (this.#packetBytes > 0 || this.#passed < 2) return;
    const length = readVariableInteger(this.#retained, 1, this.#passed);
    if (length >= 0) this.#packetBytes = 1 + variableIntegerBytes(length) + length;
  }

  #deliver(source: Uint8Array, at: number): void {
    const type = source[at]! >> 4;
    if (type === packetTypes.publish) this.#deliverPublish(source, source[at]!);
    else if (type >= packetTypes.puback && type <= packetTypes.pubcomp)
      this.#deliverAcknowledgement(source, type);
    else this.#sink.onControl(type, source.subarray(at, this.#retainedUntil));
  }

  #deliverAcknowledgement(source: Uint8Array, type: number): void {
    const at = this.#bodyAt;
    if (this.#next < at + 2) throw protocolError('an acknowledgement without a packet identifier');
    const reasonCode = this.#next > at + 2 ? source[at + 2]! : 0;
    this.#sink.onAcknowledgement(type, (source[at]! << 8) | source[at + 1]!, reasonCode);
  }

  #deliverPublish(source: Uint8Array, header: number): void {
    const publish = this.#publish;
    const qos = (header >> 1) & 3;
    const end = this.#retainedUntil;
    const topicAt = this.#bodyAt + 2;
    const topicBytes = (source[this.#bodyAt]! << 8) | source[this.#bodyAt + 1]!;
    let at = topicAt + topicBytes;
    publish.packetId = 0;
    if (qos > 0) {
      publish.packetId = (source[at]! << 8) | source[at + 1]!;
      at += 2;
    }
    if (this.#mqtt5) {
      const properties = readVariableInteger(source, at, end);
      at += properties < 0 ? this.#next : variableIntegerBytes(properties) + properties;
    }
    if (qos === 3 || at > this.#next) throw protocolError('a malformed PUBLISH');
    publish.source = source;
    publish.qos = qos;
    publish.duplicate = (header & 8) !== 0;
    publish.retain = (header & 1) !== 0;
    publish.topicAt = topicAt;
    publish.topicBytes = topicBytes;
    publish.payloadAt = at;
    publish.payloadBytes = this.#next - at;
    publish.retainedUntil = end;
    this.#sink.onPublish(publish);
  }
}

/** Reads a variable byte integer (MQTT 5 section 1.5.5); returns -1 if it does not end before `end`. */
export function readVariableInteger(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let i = 0; i < 4; i += 1) {
    if (at + i >= end) return -1;
    const byte = bytes[at + i]!;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return value;
  }
  throw protocolError('a length of more than four bytes');
}

/** Returns the size of a variable byte integer in bytes. */
export function variableIntegerBytes(value: number): number {
  if (value < 128) return 1;
  if (value < 16_384) return 2;
  return value < 2_097_152 ? 3 : 4;
}

/** Appends a variable byte integer; returns the offset of the next byte. */
export function writeVariableInteger(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let next = at;
  do {
    const digit = rest & 0x7f;
    rest >>>= 7;
    bytes[next] = rest > 0 ? digit | 0x80 : digit;
    next += 1;
  } while (rest > 0);
  return next;
}
