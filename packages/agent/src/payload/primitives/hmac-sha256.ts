import { createHmac, createSecretKey } from 'node:crypto';

/** HMAC-SHA-256 over two parts in a row (RFC 2104, FIPS 180-4); 32 bytes. */
export function makeHmacSha256(key: Uint8Array): (head: Uint8Array, rest: Uint8Array) => Uint8Array {
  const secret = createSecretKey(key);
  return (head, rest) => createHmac('sha256', secret).update(head).update(rest).digest();
}
