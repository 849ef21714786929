import { type Box, type Frame, isSame } from './box.ts';

const tagBytes = 16;

export interface EncryptThenMacParts {
  /** XORs `input` with the keystream of this nonce into `output`; both have the same length. */
  applyKeystream(nonce: Uint8Array, input: Uint8Array, output: Uint8Array): void;
  /** At least 16 bytes; the first 16 are the tag. */
  authenticate(head: Uint8Array, sealed: Uint8Array): Uint8Array;
  maxPlainBytes: number;
}

/**
 * Encrypt-then-MAC with two independent keys. The code covers, in this order: length of the associated data (4 bytes,
 * big endian), associated data, nonce, ciphertext; so no byte can move from one part to the next.
 */
export function makeEncryptThenMacBox(parts: EncryptThenMacParts): Box {
  let head = Buffer.alloc(0);

  const tagOf = ({ nonce, associated }: Frame, sealed: Uint8Array) => {
    const bytes = 4 + associated.length + nonce.length;
    if (head.length !== bytes) {
      head = Buffer.alloc(bytes);
      head.writeUInt32BE(associated.length, 0);
    }
    head.set(associated, 4);
    head.set(nonce, 4 + associated.length);
    return parts.authenticate(head, sealed).subarray(0, tagBytes);
  };

  return {
    tagBytes,
    maxPlainBytes: parts.maxPlainBytes,
    seal(frame, plain, out) {
      const sealed = out.subarray(0, plain.length);
      parts.applyKeystream(frame.nonce, plain, sealed);
      out.set(tagOf(frame, sealed), plain.length);
    },
    open(frame, sealed, out) {
      const bytes = sealed.length - tagBytes;
      const text = sealed.subarray(0, bytes);
      if (!isSame(tagOf(frame, text), sealed.subarray(bytes))) return false;
      parts.applyKeystream(frame.nonce, text, out);
      return true;
    },
  };
}
