import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import { stampBytes, textStampBytes } from '@mqttlab/shared/domain/plans/trial-levels';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import type { Traffic } from '../mqtt/connection.ts';
import { makeIncomingPublish } from '../mqtt/packet-parser.ts';
import type { ByteWriter, PublishTemplate } from '../mqtt/packets.ts';

const lineFeed = 0x0a;
const padding = 'mqttlab.';

/**
 * Prefix of a line that marks a client as connected. It is not valid base64, so no message can start with it.
 */
export const probePrefix = '?mqttlab-probe-';

/**
 * Turns QoS 0 PUBLISH packets from the built-in publisher into lines for `mosquitto_pub -l`. A line consists
 * of the stamp as text, because it cannot contain a line feed, and padding.
 */
export class TextLineWriter implements ByteWriter {
  readonly #to: Writable;
  readonly #packetBytes: number;
  readonly #stampAt: number;
  readonly #ending: string;

  constructor(to: Writable, template: Pick<PublishTemplate, 'packet' | 'payloadAt' | 'payloadBytes'>) {
    this.#to = to;
    this.#packetBytes = template.packet.length;
    this.#stampAt = template.payloadAt;
    const rest = Math.max(0, template.payloadBytes - textStampBytes);
    this.#ending = `${padding.repeat(Math.ceil(rest / padding.length)).slice(0, rest)}\n`;
  }

  write(bytes: Buffer, done: () => void): void {
    let lines = '';
    for (let at = this.#stampAt; at < bytes.length; at += this.#packetBytes) {
      lines += bytes.toString('base64', at, at + stampBytes) + this.#ending;
    }
    this.#to.write(lines, 'latin1', done);
  }
}

/**
 * Printed by a script for each completed message, if its settings request it. A message is completed when it
 * is acknowledged or, at QoS 0, sent.
 */
export const confirmation = '+';
const confirmationByte = confirmation.charCodeAt(0);

/**
 * Writes lines for a script that confirms messages. A write is done when each of its messages is completed,
 * not when it is in the pipe.
 */
export class ConfirmedLineWriter implements ByteWriter {
  readonly #lines: TextLineWriter;
  readonly #packetBytes: number;
  /** Writes in order, with the number of messages that are not completed yet. */
  readonly #writes: { left: number; done: () => void }[] = [];

  constructor(to: Writable, template: Pick<PublishTemplate, 'packet' | 'payloadAt' | 'payloadBytes'>) {
    this.#lines = new TextLineWriter(to, template);
    this.#packetBytes = template.packet.length;
  }

  write(bytes: Buffer, done: () => void): void {
    this.#writes.push({ left: bytes.length / this.#packetBytes, done });
    this.#lines.write(bytes, () => {});
  }

  /** Processes the script's output. Confirmations of messages sent before the load are ignored. */
  read(chunk: Buffer): void {
    for (const byte of chunk) {
      const [first] = this.#writes;
      if (byte !== confirmationByte || first === undefined) continue;
      first.left -= 1;
      if (first.left > 0) continue;
      this.#writes.shift();
      first.done();
    }
  }
}

export interface TextLineReaderOptions {
  clock: MicrosecondClock;
  traffic: Traffic;
  onProbe: (text: string) => void;
}

/**
 * Turns the lines that mosquitto_sub prints into messages. A message arrives when this process reads the
 * pipe.
 */
export class TextLineReader {
  readonly #options: TextLineReaderOptions;
  readonly #publish = makeIncomingPublish(Buffer.alloc(stampBytes));
  #rest = Buffer.alloc(0);

  constructor(options: TextLineReaderOptions) {
    this.#options = options;
    this.#publish.retainedUntil = stampBytes;
  }

  read(chunk: Buffer): void {
    const atUs = this.#options.clock.nowUs();
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      this.#take(bytes.subarray(from, end), atUs);
      from = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(from));
  }

  #take(line: Buffer, atUs: number): void {
    const { traffic, onProbe } = this.#options;
    if (line.toString('latin1', 0, probePrefix.length) === probePrefix) {
      onProbe(line.toString('latin1'));
      return;
    }
    const publish = this.#publish;
    const stamp = Buffer.from(line.toString('latin1', 0, textStampBytes), 'base64');
    publish.source = stamp;
    publish.retainedUntil = stamp.length;
    publish.payloadBytes = line.length;
    traffic.onPublish(publish, atUs);
  }
}
