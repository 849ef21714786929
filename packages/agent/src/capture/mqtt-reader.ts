import { stampBytes, textStampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import { type IncomingPublish, MqttProtocolError, PacketParser } from '../mqtt/packet-parser.ts';
import { makeStamp, readShortMark, readStamp } from '../payload/stamp.ts';
import type { StreamReader } from './tcp-stream.ts';

export interface SeenPublish {
  topic: string;
  /** Whole, header included. */
  packetBytes: number;
  payloadBytes: number;
  /** As much of it as was kept. */
  payload: Buffer;
  /** By the stamp at the beginning of its payload. */
  isMeasured: boolean;
}

/** Reads the PUBLISH packets of one direction of a plain connection. */
export class MqttReader implements StreamReader {
  readonly #parser: PacketParser;
  #atUs = 0;
  /** No MQTT, so that nothing behind it can be read. */
  isLost = false;

  constructor(mqtt5: boolean, onPublish: (publish: SeenPublish, atUs: number) => void) {
    this.#parser = new PacketParser(
      {
        onPublish: (publish) => onPublish(describe(publish), this.#atUs),
        onAcknowledgement: () => {},
        onControl: () => {},
      },
      { mqtt5 },
    );
  }

  onBytes(bytes: Buffer, atUs: number): void {
    if (this.isLost) return;
    this.#atUs = atUs;
    try {
      this.#parser.push(bytes, bytes.length);
    } catch (error) {
      if (!(error instanceof MqttProtocolError)) throw error;
      this.isLost = true;
    }
  }
}

function describe(publish: IncomingPublish): SeenPublish {
  const { source, topicAt, topicBytes, payloadAt, payloadBytes, keptUntil } = publish;
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const remaining = payloadAt + payloadBytes - (topicAt - 2);
  const lengthBytes = remaining < 128 ? 1 : remaining < 16_384 ? 2 : remaining < 2_097_152 ? 3 : 4;
  const payload = Buffer.from(bytes.subarray(payloadAt, Math.min(payloadAt + payloadBytes, keptUntil)));
  return {
    topic: bytes.toString('utf8', topicAt, topicAt + topicBytes),
    packetBytes: 1 + lengthBytes + remaining,
    payloadBytes,
    payload,
    isMeasured: isMeasuredPayload(payload),
  };
}

/** Clients that take lines write the stamp as text; the messages by which they are tried carry none. */
function isMeasuredPayload(payload: Buffer): boolean {
  const text = payload.toString('latin1', 0, textStampBytes);
  const stamped = /^[A-Za-z0-9+/]{27}=$/.test(text) ? Buffer.from(text, 'base64') : payload;
  if (stamped.length < stampBytes) return readShortMark(stamped[0] ?? 0) === true;
  const stamp = makeStamp();
  const view = new DataView(stamped.buffer, stamped.byteOffset, stamped.byteLength);
  return readStamp(view, 0, stamp) && stamp.measured;
}
