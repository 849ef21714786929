import { randomFillSync } from 'node:crypto';
import type { ByteWriter } from './byte-writer.ts';
import { opcodes } from './web-socket-frames.ts';

/** The payload of every frame begins here, so that it can be masked four bytes at a time. */
const payloadAt = 16;
const maskBytes = 4;
const finalBit = 0x80;
const maskBit = 0x80;
/** Masking keys that are drawn at once. */
const drawnKeys = 1_024;

/** A buffer for one frame; returned to its pool when the write is over. */
interface Frame {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly words: Uint32Array;
  /** The whole frame by length of its payload, made once for each so that writing allocates nothing. */
  readonly wholes: Map<number, Buffer>;
  done: (() => void) | null;
  readonly give: () => void;
}

/** Puts what it is given into masked binary frames, one for each write (RFC 6455 sections 5.2 and 5.3). */
export class WebSocketWriter implements ByteWriter {
  readonly #to: ByteWriter;
  /** By capacity, a power of two. */
  readonly #free = new Map<number, Frame[]>();
  readonly #keys = new Uint32Array(drawnKeys);
  #usedKeys = drawnKeys;

  constructor(to: ByteWriter) {
    this.#to = to;
  }

  write(bytes: Buffer, done: () => void): void {
    const frame = this.#take(payloadAt + bytes.length);
    frame.done = done;
    this.#to.write(this.#fill(frame, opcodes.binary, bytes), frame.give);
  }

  /** One frame of any kind as bytes of its own, for those who write it themselves. */
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

function makeFrame(atLeast: number, onGiven: () => void): Frame {
  const buffer = new ArrayBuffer(Math.ceil(atLeast / maskBytes) * maskBytes);
  const frame: Frame = {
    bytes: Buffer.from(buffer),
    words: new Uint32Array(buffer),
    wholes: new Map(),
    done: null,
    give: () => {
      const { done } = frame;
      frame.done = null;
      onGiven();
      done?.();
    },
  };
  return frame;
}
