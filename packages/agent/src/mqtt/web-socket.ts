import { createHash, randomBytes } from 'node:crypto';
import { loadFailure } from '../base/load-failures.ts';
import type { ByteWriter } from './buffers.ts';
import { MqttProtocolError } from './packet-parser.ts';
import { opcodes, WebSocketFrames, WebSocketWriter } from './web-socket-frames.ts';

/** What brokers expect where nothing else is said (their manuals; MQTT leaves the path open). */
const path = '/mqtt';
const subprotocol = 'mqtt';
/** RFC 6455 section 1.3. */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const longestAnswer = 16_384;
/** Status 1000, a normal closure (RFC 6455 section 7.4.1). */
const normalClosure = Buffer.from([0x03, 0xe8]);

export interface WebSocketOptions {
  to: ByteWriter;
  /** For the Host header. */
  host: string;
  /** As FrameSink.onPayload. */
  onPayload: (chunk: Uint8Array, end: number, start: number) => void;
}

/** The client's end of one WebSocket on a connection that is already open (RFC 6455; MQTT 5 section 6). */
export class WebSocket implements ByteWriter {
  readonly #options: WebSocketOptions;
  readonly #writer: WebSocketWriter;
  readonly #frames: WebSocketFrames;
  readonly #key = randomBytes(16).toString('base64');
  /** The answer to the upgrade as far as it came; null once it was taken. */
  #answer: Buffer | null = Buffer.alloc(0);
  readonly #upgraded = Promise.withResolvers<void>();

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#writer = new WebSocketWriter(options.to);
    this.#frames = new WebSocketFrames({
      onPayload: options.onPayload,
      onControlFrame: (opcode, payload) => this.#answerControl(opcode, payload),
    });
    this.#upgraded.promise.catch(() => {});
  }

  /** Request and answer of the upgrade; rejects with Failure 'websocket-upgrade'. */
  open(): Promise<void> {
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${this.#options.host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${this.#key}`,
      `Sec-WebSocket-Protocol: ${subprotocol}`,
      'Sec-WebSocket-Version: 13',
    ];
    this.#options.to.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), () => {});
    return this.#upgraded.promise;
  }

  /** What arrived on the connection. Throws MqttProtocolError. */
  receive(chunk: Uint8Array, length: number): void {
    if (this.#answer === null) this.#frames.push(chunk, length);
    else this.#receiveAnswer(chunk.subarray(0, length));
  }

  /** The connection is gone: an upgrade under way will not be answered. */
  lose(why: string): void {
    this.#upgraded.reject(refused(`the broker closed the connection: ${why}`));
  }

  write(bytes: Buffer, done: () => void): void {
    this.#writer.write(bytes, done);
  }

  /** The last message together with the close frame behind it. */
  encodeEnd(bytes: Buffer): Buffer {
    const { binary, close } = opcodes;
    return Buffer.concat([this.#writer.encode(binary, bytes), this.#writer.encode(close, normalClosure)]);
  }

  #receiveAnswer(bytes: Uint8Array): void {
    const answer = Buffer.concat([this.#answer ?? Buffer.alloc(0), bytes]);
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#answer = answer;
      if (answer.length > longestAnswer) throw new MqttProtocolError('no end of its HTTP answer');
      return;
    }
    this.#answer = null;
    const problem = findProblem(answer.toString('latin1', 0, end), this.#key);
    if (problem === null) this.#upgraded.resolve();
    else this.#upgraded.reject(refused(problem));
    const rest = answer.subarray(end + 4);
    if (rest.length > 0) this.#frames.push(rest, rest.length);
  }

  #answerControl(opcode: number, payload: Uint8Array): void {
    const { to } = this.#options;
    if (opcode === opcodes.ping) to.write(this.#writer.encode(opcodes.pong, payload), () => {});
    if (opcode === opcodes.close) to.write(this.#writer.encode(opcodes.close, payload), () => {});
  }
}

/** What is wrong with the server's handshake (RFC 6455 section 4.1), or null. */
function findProblem(head: string, key: string): string | null {
  const [status = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  if (!/^HTTP\/1\.1 101(\s|$)/.test(status)) return `it answered "${status.slice(0, 100)}"`;
  const accept = createHash('sha1').update(`${key}${acceptSuffix}`).digest('base64');
  if (headers.get('sec-websocket-accept') !== accept) return 'its Sec-WebSocket-Accept is wrong';
  const chosen = headers.get('sec-websocket-protocol');
  return chosen === subprotocol
    ? null
    : `it does not take the subprotocol "${subprotocol}", but ${chosen ?? 'none'}`;
}

function refused(why: string) {
  return loadFailure('websocket-upgrade', `The broker did not open a WebSocket: ${why}.`);
}
