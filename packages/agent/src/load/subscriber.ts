import { AcknowledgementWriter } from './acknowledgement-writer.ts';
import type { ArrivalCounter } from './arrival-counter.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type IncomingPublish, packetTypes } from './packet-parser.ts';

/**
 * The receiving end of one subscription. At QoS 2 a message counts when its PUBLISH comes, and its packet
 * identifier is remembered until PUBREL, so that a repeated PUBLISH is no second message
 * (method A of MQTT 5 section 4.3.3).
 */
export class Subscriber {
  readonly #counter: ArrivalCounter;
  readonly #replies: AcknowledgementWriter;
  readonly #unreleased = new Uint8Array(65_536);

  constructor(counter: ArrivalCounter, to: ByteWriter) {
    this.#counter = counter;
    this.#replies = new AcknowledgementWriter(to);
  }

  onPublish(publish: IncomingPublish, atUs: number): void {
    const { qos, packetId } = publish;
    if (qos === 2) {
      this.#replies.add(packetTypes.pubrec, packetId);
      if (this.#unreleased[packetId] === 1) return;
      this.#unreleased[packetId] = 1;
    } else if (qos === 1) {
      this.#replies.add(packetTypes.puback, packetId);
    }
    this.#counter.add(publish, atUs);
  }

  /** PUBREL is the only one that a receiver gets. */
  onAcknowledgement(type: number, packetId: number): void {
    if (type !== packetTypes.pubrel) return;
    this.#unreleased[packetId] = 0;
    this.#replies.add(packetTypes.pubcomp, packetId);
  }

  afterChunk(): void {
    this.#replies.flush();
  }
}
