/** 8 bytes that the sender chose at random, then the sequence number, big endian. */
export const prefixBytes = 8;
export const nonceBytes = 12;

const lastSequence = 0xffff_ffff;

/** The nonces of one connection, each of them once. */
export class NonceSource {
  readonly #prefix: Uint8Array;
  #next: number;

  constructor(prefix: Uint8Array, firstSequence: number = 0) {
    this.#prefix = prefix;
    this.#next = firstSequence;
  }

  /** Writes the next nonce to the first 12 bytes of `out`; false, and nothing written, when all are used. */
  writeNext(out: Uint8Array): boolean {
    const sequence = this.#next;
    if (sequence > lastSequence) return false;
    this.#next += 1;
    out.set(this.#prefix);
    writeUint32(out, prefixBytes, sequence);
    return true;
  }
}

function writeUint32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
