import { AcknowledgementWriter } from '../mqtt/acknowledgement-writer.ts';
import type { Connection, Traffic } from '../mqtt/connection.ts';
import { type IncomingPublish, packetTypes } from '../mqtt/packet-parser.ts';

export interface LocalLegOptions {
  /** True where it was passed on, and `confirm` will be called once the cloud has it; false where it was refused. */
  take: (publish: IncomingPublish, atUs: number) => boolean;
  /** One chunk was handed over. */
  afterChunk: () => void;
  /** MQTT brought a message again that is on its way already, or arrived. */
  onDuplicate: () => void;
  /** The broker knows nothing of the session before: no identifier of it may be acknowledged. */
  onSessionLost: () => void;
}

/** What a packet identifier of the local broker stands for. */
const states = {
  free: 0,
  /** Passed on, not yet confirmed by the cloud. */
  forwarding: 1,
  /** Confirmed, or refused; at QoS 1 its PUBACK could not be written, at QoS 2 its PUBREL is awaited. */
  settled: 2,
} as const;

/**
 * The subscription at the local broker. What came is acknowledged when the cloud has it and not before, so that the
 * local broker keeps whatever a dying bridge had not passed on (its session outlives the connection).
 */
export class LocalLeg implements Traffic {
  readonly #options: LocalLegOptions;
  readonly #states = new Uint8Array(65_536);
  #qos2 = new Uint8Array(0);
  #connection: Connection | null = null;
  #replies: AcknowledgementWriter | null = null;
  #paused = false;

  constructor(options: LocalLegOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Before anything can arrive on it. */
  use(connection: Connection): void {
    this.#connection = connection;
    this.#replies = new AcknowledgementWriter(connection.writer);
    this.#paused = false;
    connection.carry(this);
  }

  /** CONNACK came. */
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

  /** The cloud has the message; the reply goes with the next `flush`. */
  confirm(packetId: number): void {
    if (packetId > 0) this.#settle(packetId, this.#qos2[packetId] === 1 ? 2 : 1);
  }

  /** Of all that a receiver gets only PUBREL. */
  onAcknowledgement(type: number, packetId: number): void {
    if (type !== packetTypes.pubrel) return;
    this.#states[packetId] = states.free;
    this.#replies?.add(packetTypes.pubcomp, packetId);
  }

  afterChunk(): void {
    this.#options.afterChunk();
    this.flush();
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
