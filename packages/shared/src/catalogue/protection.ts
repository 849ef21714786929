import type { TrialSpec } from '../domain/trial-spec.ts';
import { describeSuite } from './suites.ts';

export interface Protection {
  confidentiality: ProtectionLevel;
  integrity: ProtectionLevel;
  replay: ProtectionLevel;
  peerAuthentication: ProtectionLevel;
  forwardSecrecy: ProtectionLevel;
}

/** `partly` comes with the words that limit it. */
export type ProtectionLevel = { level: 'yes' | 'no' } | { level: 'partly'; detail: string };

const yes = { level: 'yes' } as const;
const no = { level: 'no' } as const;

export const protectionLabels: Readonly<Record<keyof Protection, string>> = {
  confidentiality: 'Confidentiality',
  integrity: 'Integrity',
  replay: 'Replay',
  peerAuthentication: 'Peer authentication',
  forwardSecrecy: 'Forward secrecy',
};

/** What a configuration protects between client and broker (RFC 8446 appendix E, RFC 9325). */
export function protectionOf(spec: Pick<TrialSpec, 'security' | 'cipherSuite'>): Protection {
  if (spec.security === 'plain') {
    return { confidentiality: no, integrity: no, replay: no, peerAuthentication: no, forwardSecrecy: no };
  }
  const suite = spec.cipherSuite === null ? null : describeSuite(spec.cipherSuite);
  const secret = suite ? suite.forwardSecrecy : spec.security === 'TLS 1.3';
  return {
    confidentiality: yes,
    integrity: yes,
    replay: yes,
    peerAuthentication: { level: 'partly', detail: 'broker only' },
    forwardSecrecy: secret ? yes : suite ? no : { level: 'partly', detail: '(EC)DHE only' },
  };
}
