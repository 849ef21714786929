import type { Protection } from './protection.ts';

const yes = { level: 'yes' } as const;
const no = { level: 'no' } as const;

/** Of an authenticated cipher whose key both ends were given beforehand. */
export const sharedKeyProtection: Protection = {
  confidentiality: yes,
  integrity: yes,
  replay: { level: 'partly', detail: 'while the receiver runs' },
  peerAuthentication: { level: 'partly', detail: 'whoever has the key' },
  forwardSecrecy: no,
};

/** The same with a tag of 8 bytes: one forgery in 2^64 attempts succeeds (RFC 6655 section 6.1). */
export const shortTagProtection: Protection = {
  ...sharedKeyProtection,
  integrity: { level: 'partly', detail: '8-byte tag' },
};

/** The same with a key that both ends derived for this run from key pairs that nobody certified. */
export const agreedKeyProtection: Protection = {
  ...sharedKeyProtection,
  peerAuthentication: no,
  forwardSecrecy: { level: 'partly', detail: 'once the key pairs are gone' },
};

/** Encryption without a message authentication code, with an agreed key. */
export const unauthenticatedProtection: Protection = {
  ...agreedKeyProtection,
  confidentiality: { level: 'partly', detail: 'against listeners only' },
  integrity: no,
  replay: no,
};
