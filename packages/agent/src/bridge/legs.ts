import { cloudLegOf } from '@mqttlab/shared/domain/devices/device';
import type { PrepareBridge, PrepareClient } from '@mqttlab/shared/messages/agent';
import type { Carrier } from '../load/role-load.ts';
import { AcknowledgementWriter, PacketIds } from '../mqtt/acknowledgements.ts';
import type { Connection, Traffic } from '../mqtt/connection.ts';
import { type IncomingPublish, packetTypes } from '../mqtt/packet-parser.ts';
import { BufferPool, type ByteWriter, type Loan, type PublishTemplate } from '../mqtt/packets.ts';
import type { PayloadSeal } from '../payload/path/payload-sealing.ts';

/** Both legs of a bridge as clients: it subscribes to the local broker and publishes to the cloud. */
export interface BridgeLegs {
  local: PrepareClient;
  cloud: PrepareClient;
}

export function makeBridgeLegs({ spec, local, cloud, ...command }: PrepareBridge): BridgeLegs {
  const common = {
    energySource: command.energySource,
    runTag: command.runTag,
    clock: command.clock,
    ...({ kind: 'prepare-client', mirror: false, share: null } as const),
  };
  const { brokers, ...onward } = cloud;
  const [first = local.broker] = brokers;
  return {
    // Not a shared subscription, because the bridge must forward every message.
    local: { ...common, ...local, role: 'subscriber', spec: { ...spec, sharedSubscription: false } },
    cloud: { ...common, ...onward, broker: first, role: 'publisher', spec: cloudLegOf(spec) },
  };
}

export interface LocalLegOptions {
  /**
   * Returns true if the message was accepted; `confirm` then follows when the cloud has it. Returns false if
   * it was refused.
   */
  take: (publish: IncomingPublish, atUs: number) => boolean;
  /** Called after each chunk of data. */
  afterChunk: () => void;
  /** Called if MQTT redelivered a message that is in flight or has already arrived. */
  onDuplicate: () => void;
  /**
   * Called if the broker lost the previous session: identifiers from that session must not be acknowledged.
   */
  onSessionLost: () => void;
}

/** States of a packet identifier from the local broker. */
const states = {
  free: 0,
  /** Accepted, not yet confirmed by the cloud. */
  forwarding: 1,
  /** Confirmed or refused. At QoS 1, its PUBACK could not be written; at QoS 2, its PUBREL is awaited. */
  settled: 2,
} as const;

/**
 * The subscription on the local broker. A message is acknowledged only when the cloud has it. The local
 * broker therefore stores every message that a dying bridge has not forwarded (its session outlives the
 * connection).
 */
export class LocalLeg implements Traffic {
  readonly #options: LocalLegOptions;
  readonly #states = new Uint8Array(65_536);
  #qos2 = new Uint8Array(0);
  #connection: Connection | null = null;
  #replies: AcknowledgementWriter | null = null;
  #paused = false;
  /** Number of parts of incomplete messages. */
  pieces = 0;

  constructor(options: LocalLegOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Sets the connection before anything can arrive on it. */
  use(connection: Connection): void {
    this.#connection = connection;
    this.#replies = new AcknowledgementWriter(connection.writer);
    this.#paused = false;
    connection.setTraffic(this);
  }

  /** Called after CONNACK. */
  greet(sessionPresent: boolean): void {
    if (sessionPresent) return;
    this.#states.fill(states.free);
    this.#options.onSessionLost();
  }

  down(): void {
    this.#connection = null;
    this.#replies = null;
    this.#paused = false;
  }

  pause(): void {
    if (this.#paused || this.#connection === null) return;
    this.#paused = true;
    this.#connection.transport.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#connection?.transport.resume();
  }

  onPublish(publish: IncomingPublish, atUs: number): void {
    const { qos, packetId } = publish;
    if (qos === 0) {
      this.#options.take(publish, atUs);
      return;
    }
    const state = this.#states[packetId];
    if (state !== states.free) {
      this.#options.onDuplicate();
      if (state === states.settled) this.#settle(packetId, qos);
      return;
    }
    this.#states[packetId] = states.forwarding;
    this.#noteQos(packetId, qos);
    if (!this.#options.take(publish, atUs)) this.#settle(packetId, qos);
  }

  /** Confirms that the cloud has the message; the next `flush` sends the reply. */
  confirm(packetId: number): void {
    if (packetId > 0) this.#settle(packetId, this.#qos2[packetId] === 1 ? 2 : 1);
  }

  /** Handles PUBREL, the only acknowledgement that a receiver of QoS 2 messages receives. */
  onAcknowledgement(type: number, packetId: number): void {
    if (type !== packetTypes.pubrel) return;
    this.#states[packetId] = states.free;
    this.#replies?.add(packetTypes.pubcomp, packetId);
  }

  afterChunk(): void {
    this.#options.afterChunk();
    this.flush();
  }

  onPiece(): void {
    this.pieces += 1;
  }

  flush(): void {
    this.#replies?.flush();
  }

  #settle(packetId: number, qos: number): void {
    if (this.#replies === null) {
      this.#states[packetId] = states.settled;
      return;
    }
    this.#states[packetId] = qos === 2 ? states.settled : states.free;
    this.#replies.add(qos === 2 ? packetTypes.pubrec : packetTypes.puback, packetId);
  }

  #noteQos(packetId: number, qos: number): void {
    if (qos === 2 && this.#qos2.length === 0) this.#qos2 = new Uint8Array(65_536);
    if (this.#qos2.length > 0) this.#qos2[packetId] = qos === 2 ? 1 : 0;
  }
}

/** Parts of a connection that this leg uses. */
export type CloudCarrier = Carrier & Pick<Connection, 'setTraffic'>;

export interface CloudLegOptions {
  qos: number;
  /** Maximum number of messages in flight at QoS 1 and 2. */
  window: number;
  template: PublishTemplate;
  seal: PayloadSeal;
  /** Called when the cloud broker has acknowledged the message in this slot. */
  onConfirmed: (slot: number) => void;
  /** Called when there may be room again. */
  onRoom: () => void;
  /** Called if the broker refused a message in its acknowledgement (MQTT 5 section 3.4.2.1). */
  onRefused: (reasonCode: number) => void;
}

/** About one TLS record (RFC 8446 section 5.1), so that a write is never split or delayed for long. */
const bufferBytes = 16_384;
/** Limit at QoS 0, at which nothing else limits the writes that wait for the socket. */
const maxWrites = 32;

/**
 * Publishes to the cloud broker, with many messages per write and as many messages in flight as the window
 * allows.
 */
export class CloudLeg implements Traffic {
  readonly #options: CloudLegOptions;
  readonly #perBuffer: number;
  readonly #pool: BufferPool<CloudLeg>;
  #ids = new PacketIds();
  /** Slots by packet identifier, for messages in flight. */
  readonly #slots = new Int32Array(65_536).fill(-1);
  #window = 0;
  #to: ByteWriter | null = null;
  #replies: AcknowledgementWriter | null = null;
  #loan: Loan<CloudLeg> | null = null;
  #filled = 0;
  #writes = 0;

  constructor(options: CloudLegOptions) {
    this.#options = options;
    const { packet } = options.template;
    this.#perBuffer = Math.max(1, Math.floor(bufferBytes / packet.length));
    this.#pool = new BufferPool({
      bufferBytes: packet.length * this.#perBuffer,
      fill: (bytes) => {
        for (let at = 0; at < bytes.length; at += packet.length) bytes.set(packet, at);
      },
      onReturned: (leg) => leg.#onWritten(),
    });
  }

  /** True if another message can be sent now. */
  get hasRoom(): boolean {
    if (this.#to === null) return false;
    return this.#options.qos === 0 ? this.#writes < maxWrites : this.#ids.inFlight < this.#window;
  }

  get idle(): boolean {
    return this.#ids.inFlight === 0 && this.#writes === 0;
  }

  /**
   * Uses a new connection. Nothing from the previous connection is in flight, because `down` returned those
   * slots.
   */
  use(connection: CloudCarrier): void {
    this.#to = connection.writer;
    this.#replies = new AcknowledgementWriter(connection.writer);
    this.#window = Math.min(this.#options.window, connection.grant?.receiveMaximum ?? 65_535);
    connection.setTraffic(this);
  }

  /** Returns the slots that were in flight, in no particular order. */
  down(): number[] {
    this.#to = null;
    this.#replies = null;
    this.#loan?.giveBack();
    this.#loan = null;
    this.#filled = 0;
    this.#ids = new PacketIds();
    const lost: number[] = [];
    for (const [id, slot] of this.#slots.entries()) {
      if (slot < 0) continue;
      lost.push(slot);
      this.#slots[id] = -1;
    }
    return lost;
  }

  /**
   * Encrypts and buffers a message for the next `flush`. `slot` is passed to `onConfirmed` and unused at QoS
   * 0.
   */
  send(plain: Uint8Array, { slot, measured }: { slot: number; measured: boolean }): void {
    const { template, seal, qos } = this.#options;
    this.#loan ??= this.#lend();
    const { bytes, view } = this.#loan;
    const at = this.#filled * template.packet.length;
    if (qos > 0) {
      const id = this.#ids.open(measured);
      this.#slots[id] = slot;
      view.setUint16(at + template.packetIdAt, id);
    }
    seal.plain.set(plain);
    seal.write(bytes, at + template.payloadAt, measured);
    this.#filled += 1;
    if (this.#filled === this.#perBuffer) this.flush();
  }

  flush(): void {
    const loan = this.#loan;
    if (loan === null) return;
    this.#loan = null;
    const { length } = this.#options.template.packet;
    const bytes = loan.first(this.#filled * length);
    this.#filled = 0;
    this.#to?.write(bytes, loan.giveBack);
  }

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    if (reasonCode >= 0x80) this.#options.onRefused(reasonCode);
    else if (type === packetTypes.pubrec) {
      if (this.#ids.release(packetId)) this.#replies?.add(packetTypes.pubrel, packetId);
    } else if (this.#ids.close(packetId) >= 0) {
      const slot = this.#slots[packetId] ?? -1;
      this.#slots[packetId] = -1;
      this.#options.onConfirmed(slot);
    }
  }

  /** Never called, because this leg does not subscribe. */
  onPublish(): void {}

  afterChunk(): void {
    this.#replies?.flush();
    this.#options.onRoom();
  }

  #lend(): Loan<CloudLeg> {
    this.#writes += 1;
    return this.#pool.take(this);
  }

  #onWritten(): void {
    this.#writes -= 1;
    if (this.#options.qos === 0) this.#options.onRoom();
  }
}
