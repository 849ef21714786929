// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import type { Counters, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import type { IncomingPublish } from '../mqtt/packet-parser.ts';
import { makePublishTemplate, type PublishTemplate } from '../mqtt/packets.ts';
import {
  makePayloadOpening,
  nothingRefused,
  type PayloadOpening,
  type Receiver,
} from '../payload/path/payload-opening.ts';
import type { LoadedPayloadCipher } from '../payload/path/payload-path.ts';
import { makePayloadSealing, type PayloadSealing } from '../payload/path/payload-sealing.ts';
import { isMeasured } from '../payload/stamp.ts';
import { type BridgeLegs, type CloudCarrier, CloudLeg, LocalLeg } from './legs.ts';

export interface BridgeOptions {
  legs: BridgeLegs;
  clock: MicrosecondClock;
  /** null if payloads arrive unencrypted. */
  localCipher: LoadedPayloadCipher | null;
  cloudCipher: LoadedPayloadCipher;
  /** Called if the cloud broker rejects a message: the connection must move to another broker. */
  onRefused: (reasonCode: number) => void;
}

/**
 * Verifies and decrypts messages from the local broker, encrypts them again and publishes them to the cloud
 * broker. At QoS 1 and 2, a message is acknowledged to the local broker only when the cloud has it, so that
 * no message is lost if a process dies. Until then, this class stores the plaintext of the message. While the
 * cloud leg is full, the local leg is not read.
 */
export class Bridge {
  readonly local: LocalLeg;
  readonly cloud: CloudLeg;
  /**
   * Totals since the first connection. Rejected messages are counted by reason elsewhere, and connections by
   * their owner.
   */
  readonly #totals = {
    received: 0,
    verified: 0,
    duplicates: 0,
    reencrypted: 0,
    forwarded: 0,
    resent: 0,
    refused: 0,
    pauses: 0,
  };
  /** Messages of the measure phase, selected by stamp. */
  readonly #measured = { received: 0, sent: 0, acknowledged: 0, bytes: 0 };
  readonly #qos: number;
  readonly #template: PublishTemplate;
  readonly #opening: PayloadOpening | null;
  readonly #sealing: PayloadSealing;
  readonly #receiver: Receiver;
  readonly #inFlight: PlaintextSlots;
  /** Slots that wait for room, oldest first, starting at `#head`. */
  #queue: number[] = [];
  #head = 0;
  /** Number of authentic messages whose size does not occur in this run. */
  #odd = 0;
  /** Packet identifier of the message being processed. */
  #packetId = 0;
  #passed = false;
  readonly #ticket = { slot: -1, measured: false };

  constructor({ legs, clock, localCipher, cloudCipher, onRefused }: BridgeOptions) {
    const { spec, runTag } = legs.cloud;
    this.#qos = spec.qos;
    this.#template = makePublishTemplate(spec, runTag);
    this.#opening = makePayloadOpening({ command: legs.local, clock, payloadCipher: localCipher });
    const sealing = makePayloadSealing({
      command: legs.cloud,
      clock,
      template: this.#template,
      payloadCipher: cloudCipher,
    });
    if (sealing === null) throw new RangeError('the leg to the cloud has no payload cipher');
    this.#sealing = sealing;
    const forward: Receiver = { add: (publish) => this.#forward(publish), discard: () => {} };
    this.#receiver = this.#opening?.makeReceiver(forward) ?? forward;
    this.#inFlight = new PlaintextSlots(this.#template.payloadBytes);
    this.local = new LocalLeg({
      take: (publish, atUs) => this.#take(publish, atUs),
      afterChunk: () => this.#afterLocalChunk(),
      onDuplicate: () => {
        this.#totals.received += 1;
        this.#totals.duplicates += 1;
      },
      onSessionLost: () => this.#inFlight.forgetUpstream(),
    });
    this.cloud = new CloudLeg({
      qos: spec.qos,
      window: spec.window,
      template: this.#template,
      seal: sealing.makeSeal(),
      onConfirmed: (slot) => this.#confirm(slot),
      onRoom: () => this.#pump(),
      onRefused: (reasonCode) => {
        this.#totals.refused += 1;
        onRefused(reasonCode);
      },
    });
  }

  /** True if the cloud broker has every accepted message. */
  get idle(): boolean {
    return this.#inFlight.count === 0 && this.cloud.idle;
  }

  /**
   * Returns the counts so far: `received` for authentic measured messages, `all` for every PUBLISH since the
   * first connection.
   */
  progress(): { received: number; all: number } {
    return { received: this.#measured.received, all: this.#totals.received };
  }

  totals() {
    const { unauthentic, replayed, malformed, duplicate } = this.#refused();
    const { duplicates, ...totals } = this.#totals;
    return { ...totals, rejected: unauthentic + replayed + malformed, duplicates: duplicates + duplicate };
  }

  /** Returns the same counters as other roles: they cover the measure phase, including refused messages. */
  counters(): Partial<Counters> {
    const { received, sent, acknowledged, bytes } = this.#measured;
    const { duplicate, ...refused } = this.#refused();
    return {
      received,
      sent,
      acknowledged,
      ...refused,
      duplicate: duplicate + this.#totals.duplicates,
      payloadBytesReceived: bytes,
      payloadBytesSent: sent * this.#template.payloadBytes,
      carriedBytesSent: sent * this.#template.carriedBytes,
    };
  }

  figures(): Pick<RoleResult, 'histograms' | 'randomness'> {
    const sealed = this.#sealing.figures();
    return { ...sealed, histograms: { ...this.#opening?.figures().histograms, ...sealed.histograms } };
  }

  cloudUp(connection: CloudCarrier): void {
    this.cloud.use(connection);
    this.#pump();
  }

  /**
   * Sends messages in flight again, first and in order. Each is encrypted again, so that it does not count as
   * a replay.
   */
  cloudDown(): void {
    const { order } = this.#inFlight;
    const lost = this.cloud.down().sort((a, b) => order[a]! - order[b]!);
    this.#totals.resent += lost.length;
    for (const slot of lost) if (this.#isMeasured(slot)) this.#measured.sent -= 1;
    this.#queue = [...lost, ...this.#queue.slice(this.#head)];
    this.#head = 0;
  }

  #refused() {
    const { refused } = this.#opening?.figures() ?? nothingRefused;
    return { ...refused, malformed: refused.malformed + this.#odd };
  }

  #take(publish: IncomingPublish, atUs: number): boolean {
    this.#totals.received += 1;
    this.#packetId = publish.packetId;
    this.#passed = false;
    this.#receiver.add(publish, atUs);
    return this.#passed;
  }

  /** Forwards an authenticated or unencrypted payload. */
  #forward({ source, payloadAt, payloadBytes, retainedUntil }: IncomingPublish): void {
    if (payloadBytes !== this.#template.payloadBytes || payloadAt + payloadBytes > retainedUntil) {
      this.#odd += 1;
      return;
    }
    this.#totals.verified += 1;
    this.#passed = true;
    const slot = this.#inFlight.take(source, payloadAt, this.#packetId);
    if (this.#isMeasured(slot)) {
      this.#measured.received += 1;
      this.#measured.bytes += payloadBytes;
    }
    if (this.#head === this.#queue.length && this.cloud.hasRoom) this.#send(slot);
    else this.#queue.push(slot);
  }

  #send(slot: number): void {
    const measured = this.#isMeasured(slot);
    this.#ticket.slot = slot;
    this.#ticket.measured = measured;
    this.cloud.send(this.#inFlight.plainOf(slot), this.#ticket);
    this.#totals.reencrypted += 1;
    if (measured) this.#measured.sent += 1;
    // QoS 0 has no acknowledgement: a message counts as delivered when the socket has accepted it.
    if (this.#qos === 0) this.#finish(slot, measured);
  }

  #confirm(slot: number): void {
    this.local.confirm(this.#inFlight.upstream[slot]!);
    this.#finish(slot, this.#isMeasured(slot));
  }

  #finish(slot: number, measured: boolean): void {
    this.#totals.forwarded += 1;
    if (measured && this.#qos > 0) this.#measured.acknowledged += 1;
    this.#inFlight.free(slot);
  }

  #isMeasured(slot: number): boolean {
    return isMeasured(this.#inFlight.plainOf(slot), this.#template.payloadBytes);
  }

  #afterLocalChunk(): void {
    this.cloud.flush();
    if (this.#head === this.#queue.length || this.local.paused) return;
    this.#totals.pauses += 1;
    this.local.pause();
  }

  /** Sends waiting messages while there is room; resumes reading the local leg when none wait. */
  #pump(): void {
    while (this.#head < this.#queue.length && this.cloud.hasRoom) {
      this.#send(this.#queue[this.#head]!);
      this.#head += 1;
    }
    this.cloud.flush();
    this.local.flush();
    if (this.#head < this.#queue.length) return;
    if (this.#head > 0) this.#queue = [];
    this.#head = 0;
    this.local.resume();
  }
}

/**
 * Plaintexts in flight to the cloud, all of the same size. Each is stored until the cloud broker has the
 * message.
 */
class PlaintextSlots {
  readonly #bytes: number;
  readonly #plain: Buffer[] = [];
  readonly #free: number[] = [];
  /** Packet identifiers on the local leg by slot; 0 if the message needs no acknowledgement. */
  readonly upstream: number[] = [];
  /** Increasing numbers by slot, in the order of arrival. */
  readonly order: number[] = [];
  #next = 0;
  #count = 0;

  constructor(plainBytes: number) {
    this.#bytes = plainBytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Copies the plaintext and returns its slot. Slots are allocated on demand and reused. */
  take(source: Uint8Array, at: number, upstreamId: number): number {
    const slot = this.#free.pop() ?? this.#make();
    Buffer.prototype.copy.call(source, this.#plain[slot]!, 0, at, at + this.#bytes);
    this.upstream[slot] = upstreamId;
    this.order[slot] = this.#next;
    this.#next += 1;
    this.#count += 1;
    return slot;
  }

  plainOf(slot: number): Buffer {
    return this.#plain[slot]!;
  }

  free(slot: number): void {
    this.#free.push(slot);
    this.#count -= 1;
  }

  /**
   * Called when the local broker has lost this client's session, so that its packet identifiers are not
   * valid.
   */
  forgetUpstream(): void {
    this.upstream.fill(0);
  }

  #make(): number {
    return this.#plain.push(Buffer.alloc(this.#bytes)) - 1;
  }
}
