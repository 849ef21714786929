import { AcknowledgementWriter } from '../mqtt/acknowledgement-writer.ts';
import { BufferPool, type Loan } from '../mqtt/buffer-pool.ts';
import type { ByteWriter } from '../mqtt/byte-writer.ts';
import type { Traffic } from '../mqtt/connection.ts';
import { PacketIds } from '../mqtt/packet-ids.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import type { PublishTemplate } from '../mqtt/publish-template.ts';
import type { PayloadSeal } from '../payload/path/payload-sealing.ts';
import type { Carrier } from '../workloads/role-load.ts';

/** What it needs of a connection. */
export interface CloudCarrier extends Carrier {
  carry(traffic: Traffic): void;
}

export interface CloudLegOptions {
  qos: number;
  /** Most messages in flight at QoS 1 and 2. */
  window: number;
  template: PublishTemplate;
  seal: PayloadSeal;
  /** The cloud broker has what was sent from this slot. */
  onConfirmed: (slot: number) => void;
  /** There may be room again. */
  onRoom: () => void;
  /** It refused a message in its acknowledgement (MQTT 5 section 3.4.2.1). */
  onRefused: (reasonCode: number) => void;
}

/** About one TLS record (RFC 8446 section 5.1): a write is never cut, and never waits for much. */
const bufferBytes = 16_384;
/** At QoS 0, where nothing else bounds what waits for the socket. */
const maxWrites = 32;

/** Publishes to the cloud broker: many messages to a write, as many in flight as the window allows. */
export class CloudLeg implements Traffic {
  readonly #options: CloudLegOptions;
  readonly #perBuffer: number;
  readonly #pool: BufferPool<CloudLeg>;
  #ids = new PacketIds();
  /** By packet identifier, for those in flight. */
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
      onGiven: (leg) => leg.#onWritten(),
    });
  }

  /** Whether another message may be sent now. */
  get hasRoom(): boolean {
    if (this.#to === null) return false;
    return this.#options.qos === 0 ? this.#writes < maxWrites : this.#ids.inFlight < this.#window;
  }

  get idle(): boolean {
    return this.#ids.inFlight === 0 && this.#writes === 0;
  }

  /** Nothing of an earlier connection is in flight any more: `down` gave it back. */
  use(connection: CloudCarrier): void {
    this.#to = connection.writer;
    this.#replies = new AcknowledgementWriter(connection.writer);
    this.#window = Math.min(this.#options.window, connection.grant?.receiveMaximum ?? 65_535);
    connection.carry(this);
  }

  /** Returns the slots that were in flight, in no order. */
  down(): number[] {
    this.#to = null;
    this.#replies = null;
    this.#loan?.give();
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

  /** Encrypts and writes; goes out with the next `flush`. `slot`: to be confirmed, unused at QoS 0. */
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
    this.#to?.write(bytes, loan.give);
  }

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    const refused = reasonCode >= 0x80;
    if (refused) {
      this.#options.onRefused(reasonCode);
      return;
    }
    if (type === packetTypes.pubrec) {
      if (this.#ids.release(packetId)) this.#replies?.add(packetTypes.pubrel, packetId);
      return;
    }
    if (this.#ids.close(packetId) < 0) return;
    const slot = this.#slots[packetId]!;
    this.#slots[packetId] = -1;
    this.#options.onConfirmed(slot);
  }

  /** Nothing is subscribed to. */
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
