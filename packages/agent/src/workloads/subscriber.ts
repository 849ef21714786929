import { AcknowledgementWriter } from '../mqtt/acknowledgement-writer.ts';
import type { ByteWriter } from '../mqtt/byte-writer.ts';
import { type IncomingPublish, packetTypes } from '../mqtt/packet-parser.ts';
import type { Receiver } from '../payload/path/payload-opening.ts';

/**
 * The receiving end of one subscription. At QoS 2 a message counts when its PUBLISH comes, and its packet
 * identifier is remembered until PUBREL, so that a repeated PUBLISH is no second message
 * (method A of MQTT 5 section 4.3.3).
 */
export class Subscriber {
  readonly #receiver: Receiver;
  readonly #replies: AcknowledgementWriter;
  /** Made for the first message at QoS 2. */
  #unreleased = new Uint8Array(0);

  constructor(receiver: Receiver, to: ByteWriter) {
    this.#receiver = receiver;
    this.#replies = new AcknowledgementWriter(to);
  }

  onPublish(publish: IncomingPublish, atUs: number): void {
    const { qos, packetId } = publish;
    if (qos === 2) {
      if (this.#unreleased.length === 0) this.#unreleased = new Uint8Array(65_536);
      this.#replies.add(packetTypes.pubrec, packetId);
      if (this.#unreleased[packetId] === 1) return;
      this.#unreleased[packetId] = 1;
    } else if (qos === 1) {
      this.#replies.add(packetTypes.puback, packetId);
    }
    this.#receiver.add(publish, atUs);
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
