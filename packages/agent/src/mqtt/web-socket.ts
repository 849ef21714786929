// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { createHash, randomBytes, randomFillSync } from 'node:crypto';
import { loadFailure } from '../processes/failures.ts';
import { protocolError } from './packet-parser.ts';
import type { ByteWriter } from './packets.ts';

/** Default path of brokers (according to their manuals; MQTT does not define the path). */
const path = '/mqtt';
const subprotocol = 'mqtt';
/** RFC 6455 section 1.3. */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const longestAnswer = 16_384;
/** Status 1000, a normal closure (RFC 6455 section 7.4.1). */
const normalClosure = Buffer.from([0x03, 0xe8]);

interface WebSocketOptions {
  to: ByteWriter;
  /** Host name and port for the Host header. */
  host: string;
  /** Like FrameSink.onPayload. */
  onPayload: (chunk: Uint8Array, end: number, start: number) => void;
}

/** The client's end of one WebSocket on an open connection (RFC 6455; MQTT 5 section 6). */
export class WebSocket implements ByteWriter {
  readonly #options: WebSocketOptions;
  readonly #writer: WebSocketWriter;
  readonly #frames: WebSocketFrames;
  readonly #key = randomBytes(16).toString('base64');
  /** The response to the upgrade received so far; null after it was processed. */
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

  /** Sends the upgrade request and reads the response; rejects with Failure 'websocket-upgrade'. */
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

  /** Processes bytes from the connection. Throws Failure 'protocol-error'. */
  receive(chunk: Uint8Array, length: number): void {
    if (this.#answer === null) this.#frames.push(chunk, length);
    else this.#receiveAnswer(chunk.subarray(0, length));
  }

  /** Called when the connection has ended: a pending upgrade will not be answered. */
  lose(why: string): void {
    this.#upgraded.reject(refused(`the broker closed the connection: ${why}`));
  }

  write(bytes: Buffer, done: () => void): void {
    this.#writer.write(bytes, done);
  }

  /** Returns the last message and the close frame after it. */
  encodeEnd(bytes: Buffer): Buffer {
    const { binary, close } = opcodes;
    return Buffer.concat([this.#writer.encode(binary, bytes), this.#writer.encode(close, normalClosure)]);
  }

  #receiveAnswer(bytes: Uint8Array): void {
    const answer = Buffer.concat([this.#answer ?? Buffer.alloc(0), bytes]);
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#answer = answer;
      if (answer.length > longestAnswer) throw protocolError('an HTTP response without an end');
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

/** Returns the error in the server's handshake (RFC 6455 section 4.1), or null. */
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
  if (headers.get('sec-websocket-accept') !== accept) return 'its Sec-WebSocket-Accept is invalid';
  const chosen = headers.get('sec-websocket-protocol');
  return chosen === subprotocol
    ? null
    : `it does not accept the subprotocol "${subprotocol}" and chose ${chosen ?? 'none'}`;
}

function refused(why: string) {
  return loadFailure('websocket-upgrade', `The broker did not open a WebSocket: ${why}.`);
}

/** Opcodes, RFC 6455 section 5.2. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

interface FrameSink {
  /**
   * Called with the payload of a data frame: bytes `start` to `end` of the chunk, only valid during the call.
   */
  onPayload(chunk: Uint8Array, end: number, start: number): void;
  onControlFrame(opcode: number, payload: Uint8Array): void;
}

const longestHeader = 10;
/** Maximum payload of a control frame (RFC 6455 section 5.5). */
const longestControl = 125;

/** Incremental reader of data from a WebSocket server: payload is passed on without copying. */
export class WebSocketFrames {
  readonly #sink: FrameSink;
  readonly #header = new Uint8Array(longestHeader);
  #headerBytes = 0;
  /** State of the frame being read. */
  #opcode = 0;
  #left = 0;
  readonly #control = new Uint8Array(longestControl);
  #controlBytes = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Throws Failure 'protocol-error'. */
  push(chunk: Uint8Array, end: number, start = 0): void {
    let at = start;
    while (at < end) {
      if (this.#left === 0) {
        this.#header[this.#headerBytes] = chunk[at]!;
        this.#headerBytes += 1;
        at += 1;
        if (!this.#readHeader() || this.#left > 0) continue;
      }
      const until = Math.min(end, at + this.#left);
      this.#take(chunk, at, until);
      at = until;
    }
  }

  #take(chunk: Uint8Array, at: number, until: number): void {
    this.#left -= until - at;
    if (this.#opcode < opcodes.close) {
      if (until > at) this.#sink.onPayload(chunk, until, at);
      return;
    }
    this.#control.set(chunk.subarray(at, until), this.#controlBytes);
    this.#controlBytes += until - at;
    if (this.#left > 0) return;
    this.#sink.onControlFrame(this.#opcode, this.#control.subarray(0, this.#controlBytes));
    this.#controlBytes = 0;
  }

  /** Returns true if the header is complete, so that opcode and length are known. */
  #readHeader(): boolean {
    const header = this.#header;
    if (this.#headerBytes < 2) return false;
    const short = header[1]! & 0x7f;
    const whole = short === 126 ? 4 : short === 127 ? longestHeader : 2;
    if (this.#headerBytes < whole) return false;
    this.#headerBytes = 0;
    this.#opcode = header[0]! & 0x0f;
    this.#left = short;
    if (short >= 126) {
      this.#left = 0;
      for (let i = 2; i < whole; i += 1) this.#left = this.#left * 256 + header[i]!;
    }
    this.#check(header);
    return true;
  }

  #check(header: Uint8Array): void {
    if ((header[0]! & 0x70) !== 0) throw protocolError('a WebSocket frame with an unknown extension');
    if (header[1]! >= 0x80) throw protocolError('a masked WebSocket frame, which servers must not send');
    if (this.#opcode >= opcodes.close && this.#left > longestControl)
      throw protocolError('a WebSocket control frame that is too long');
    // A server sends only binary data (MQTT 5 section 6).
    if (this.#opcode === opcodes.text) throw protocolError('a WebSocket text frame');
  }
}

/** The payload of every frame begins here, so that it can be masked four bytes at a time. */
const payloadAt = 16;
const maskBytes = 4;
const finalBit = 0x80;
const maskBit = 0x80;
/** Number of masking keys generated at once. */
const drawnKeys = 1_024;

/** A buffer for one frame, which is returned to its pool after the write. */
interface Frame {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly words: Uint32Array;
  /**
   * The complete frame for each payload length, created once per length so that writing allocates nothing.
   */
  readonly wholes: Map<number, Buffer>;
  done: (() => void) | null;
  readonly giveBack: () => void;
}

/** Writes data as masked binary frames, one per write (RFC 6455 sections 5.2 and 5.3). */
export class WebSocketWriter implements ByteWriter {
  readonly #to: ByteWriter;
  /** Pools by capacity, which is a power of two. */
  readonly #free = new Map<number, Frame[]>();
  readonly #keys = new Uint32Array(drawnKeys);
  #usedKeys = drawnKeys;

  constructor(to: ByteWriter) {
    this.#to = to;
  }

  write(bytes: Buffer, done: () => void): void {
    const frame = this.#take(payloadAt + bytes.length);
    frame.done = done;
    this.#to.write(this.#fill(frame, opcodes.binary, bytes), frame.giveBack);
  }

  /** Returns one frame of any kind as separate bytes, for callers that write it themselves. */
  encode(opcode: number, payload: Uint8Array): Buffer {
    return this.#fill(
      makeFrame(payloadAt + payload.length + maskBytes, () => {}),
      opcode,
      payload,
    );
  }

  #fill(frame: Frame, opcode: number, payload: Uint8Array): Buffer {
    const { bytes, words, wholes } = frame;
    const { length } = payload;
    const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
    const start = payloadAt - maskBytes - lengthBytes - 2;
    bytes[start] = finalBit | opcode;
    bytes[start + 1] = maskBit | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
    if (lengthBytes === 2) bytes.writeUInt16BE(length, start + 2);
    if (lengthBytes === 8) bytes.writeBigUInt64BE(BigInt(length), start + 2);
    const key = this.#nextKey();
    words[payloadAt / maskBytes - 1] = key;
    bytes.set(payload, payloadAt);
    const last = Math.ceil((payloadAt + length) / maskBytes);
    for (let i = payloadAt / maskBytes; i < last; i += 1) words[i]! ^= key;
    let whole = wholes.get(length);
    if (whole === undefined) {
      whole = bytes.subarray(start, payloadAt + length);
      wholes.set(length, whole);
    }
    return whole;
  }

  #nextKey(): number {
    if (this.#usedKeys === drawnKeys) {
      randomFillSync(this.#keys);
      this.#usedKeys = 0;
    }
    const key = this.#keys[this.#usedKeys]!;
    this.#usedKeys += 1;
    return key;
  }

  #take(needed: number): Frame {
    let capacity = 64;
    while (capacity < needed) capacity *= 2;
    const free = this.#free.get(capacity);
    const frame = free?.pop();
    if (frame !== undefined) return frame;
    const back = free ?? [];
    if (free === undefined) this.#free.set(capacity, back);
    const made = makeFrame(capacity, () => back.push(made));
    return made;
  }
}

function makeFrame(atLeast: number, onReturned: () => void): Frame {
  const buffer = new ArrayBuffer(Math.ceil(atLeast / maskBytes) * maskBytes);
  const frame: Frame = {
    bytes: Buffer.from(buffer),
    words: new Uint32Array(buffer),
    wholes: new Map(),
    done: null,
    giveBack: () => {
      const { done } = frame;
      frame.done = null;
      onReturned();
      done?.();
    },
  };
  return frame;
}
