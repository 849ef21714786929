/**
 * The cryptographic core of an authenticated cipher: one message under one nonce. What goes around it (nonces,
 * associated data, replay) is the same for all of them and lives in framed-end.ts.
 */
export interface Box {
  readonly tagBytes: number;
  readonly maxPlainBytes: number;
  /** Writes ciphertext and then tag; `out` has exactly their size. */
  seal(frame: Frame, plain: Uint8Array, out: Uint8Array): void;
  /** Ciphertext and tag back to plaintext; false, with `out` as it was, when they are not authentic. */
  open(frame: Frame, sealed: Uint8Array, out: Uint8Array): boolean;
}

export interface Frame {
  nonce: Uint8Array;
  /** Authenticated but not encrypted. */
  associated: Uint8Array;
}

/** Compares in a time that tells nothing about where they differ. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}
