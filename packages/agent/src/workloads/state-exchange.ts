import { loadFailure } from '../load-process/failures.ts';
import { within } from '../load-process/within.ts';
import { AcknowledgementWriter } from '../mqtt/acknowledgement-writer.ts';
import type { Connection, Traffic } from '../mqtt/connection.ts';
import { encodeEmptyPublish } from '../mqtt/mqtt-packets.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';

/** Four bytes each, as in the published counts; two of them, so that no subscriber gets what is published. */
export const stateTopics = { subscribe: 'msub', publish: 'mpub' } as const;

const stepTimeoutMs = 15_000;

/** One message without payload on a connection, to its last acknowledgement. */
export class StateExchange implements Traffic {
  readonly #connection: Connection;
  readonly #replies: AcknowledgementWriter;
  readonly #delivered = Promise.withResolvers<void>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#replies = new AcknowledgementWriter(connection.writer);
  }

  /** Resolves with the length of the packet; rejects with RunFailure when no acknowledgement comes. */
  async publish(packet: Parameters<typeof encodeEmptyPublish>[0]): Promise<number> {
    const bytes = encodeEmptyPublish(packet);
    const written = Promise.withResolvers<void>();
    this.#connection.writer.write(bytes, written.resolve);
    await written.promise;
    if (packet.qos === 0) return bytes.length;
    const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
    await within(stepTimeoutMs, tooLong, this.#delivered.promise);
    return bytes.length;
  }

  onPublish(): void {}

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    const goesOn = type === packetTypes.pubrec && reasonCode < 0x80;
    if (goesOn) this.#replies.add(packetTypes.pubrel, packetId);
    else this.#delivered.resolve();
  }

  afterChunk(): void {
    this.#replies.flush();
  }
}
