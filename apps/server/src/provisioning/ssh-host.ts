import { createHash } from 'node:crypto';

/** A host key as sent by SSH (RFC 4253 section 6.6): a name, then its data. */
export interface HostKey {
  algorithm: string;
  blob: Buffer;
}

/** Parses a host key; null if the bytes are not a public key. */
export function parseHostKey(blob: Buffer): HostKey | null {
  if (blob.length < 4) return null;
  const length = blob.readUInt32BE(0);
  const algorithm = blob.subarray(4, 4 + length).toString('latin1');
  return blob.length > 4 + length && /^[a-z0-9@.-]{3,64}$/.test(algorithm) ? { algorithm, blob } : null;
}

/** Returns the fingerprint as printed by `ssh-keygen -l`. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/**
 * Returns the signature algorithms to request, so that a device with keys of several kinds presents the
 * pinned key: a key of another kind is not a changed key. RSA keys sign with SHA-2 (RFC 8332).
 */
export function algorithmsFor(pinned: HostKey | null): string[] {
  if (pinned === null) return preferred;
  return pinned.algorithm === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [pinned.algorithm];
}

const preferred = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

export interface SshAddress {
  host: string;
  port: number;
}

export type SshLogin =
  | { kind: 'password'; user: string; password: string }
  | { kind: 'key'; user: string; privateKey: string; passphrase?: string };
