import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import { describeSuite } from './suites.ts';

export interface Protection {
  confidentiality: ProtectionLevel;
  integrity: ProtectionLevel;
  replay: ProtectionLevel;
  peerAuthentication: ProtectionLevel;
  forwardSecrecy: ProtectionLevel;
}

/** `partly` has a detail that states the limitation; `yes` may have a detail that states the scope. */
export type ProtectionLevel = { level: 'yes' | 'no'; detail?: string } | { level: 'partly'; detail: string };

const yes = { level: 'yes' } as const;
const no = { level: 'no' } as const;

export const protectionLabels: Readonly<Record<keyof Protection, string>> = {
  confidentiality: 'Confidentiality',
  integrity: 'Integrity',
  replay: 'Replay',
  peerAuthentication: 'Peer authentication',
  forwardSecrecy: 'Forward secrecy',
};

type Protected = Pick<TrialSpec, 'security' | 'cipherSuite' | 'clientCertificate' | 'session'>;

/** Returns the protection between client and broker (RFC 8446 appendix E, RFC 9325). */
export function protectionOf(spec: Protected): Protection {
  if (spec.security === 'plain') {
    return { confidentiality: no, integrity: no, replay: no, peerAuthentication: no, forwardSecrecy: no };
  }
  const suite = spec.cipherSuite === null ? null : describeSuite(spec.cipherSuite);
  return {
    confidentiality: suite?.cipher.endsWith('-CBC') ? partly('CBC: padding attacks') : yes,
    integrity: suite?.cipher.endsWith('CCM-8') ? partly('8-byte tag') : yes,
    // mqttlab sends no early data, the only part of TLS 1.3 that can be replayed (RFC 8446 section 8).
    replay: yes,
    peerAuthentication:
      spec.clientCertificate === 'mutual TLS'
        ? { level: 'yes', detail: 'broker and clients' }
        : partly('broker only'),
    forwardSecrecy: forwardSecrecyOf(spec, suite?.forwardSecrecy ?? null),
  };
}

function forwardSecrecyOf({ security, session }: Protected, ofSuite: boolean | null): ProtectionLevel {
  if (security === 'TLS 1.3') return yes;
  if (ofSuite === false) return no;
  // A TLS 1.2 ticket contains the session's master secret, encrypted with the broker's ticket key (RFC 5077 section 5).
  if (session === 'resumed') return partly('while the ticket key is secret');
  return ofSuite === null ? partly('(EC)DHE only') : yes;
}

function partly(detail: string): ProtectionLevel {
  return { level: 'partly', detail };
}

/** Protection by an authenticated cipher with a pre-shared key. */
export const sharedKeyProtection: Protection = {
  confidentiality: yes,
  integrity: yes,
  replay: { level: 'partly', detail: 'while the receiver runs' },
  peerAuthentication: { level: 'partly', detail: 'any holder of the key' },
  forwardSecrecy: no,
};

/**
 * Like `sharedKeyProtection`, but with a tag of 8 bytes: one in 2^64 forgery attempts succeeds (RFC 6655
 * section 6.1).
 */
export const shortTagProtection: Protection = {
  ...sharedKeyProtection,
  integrity: { level: 'partly', detail: '8-byte tag' },
};

/** Like `sharedKeyProtection`, but with a key derived for this run from uncertified key pairs. */
export const agreedKeyProtection: Protection = {
  ...sharedKeyProtection,
  peerAuthentication: no,
  forwardSecrecy: { level: 'partly', detail: 'after the key pairs are deleted' },
};

/** Protection by a cipher without a message authentication code, with an agreed key. */
export const unauthenticatedProtection: Protection = {
  ...agreedKeyProtection,
  confidentiality: { level: 'partly', detail: 'against passive eavesdroppers only' },
  integrity: no,
  replay: no,
};
