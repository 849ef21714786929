import * as z from 'zod';
import { offeredByAll, type TestbedView } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition, Levels, Refusal } from '../../domain/factor.ts';
import { describeSuite } from '../ciphers/suites.ts';

export const groupNames = [
  'X25519',
  'P-256',
  'P-384',
  'P-521',
  'X448',
  'ffdhe2048',
  'ffdhe3072',
  'X25519MLKEM768',
] as const;

/** Finite fields by name (RFC 7919). */
const finiteFields = new Set<string>(['ffdhe2048', 'ffdhe3072']);
function isDhe(suite: unknown): boolean {
  return typeof suite === 'string' && describeSuite(suite).keyExchange === 'DHE';
}

export const group: FactorDefinition = {
  id: 'group',
  label: 'Key exchange',
  group: 'security',
  audience: 'expert',
  help: 'The group of the ephemeral key exchange. X25519MLKEM768 is the post-quantum hybrid; DHE suites take ffdhe groups.',
  unit: null,
  schema: z.enum(groupNames),
  input: { kind: 'choice' },
  defaultLevel: () => 'X25519',
  options: (testbed) =>
    groupNames.map((value) => ({ value, refusal: group.refuse(value, { security: 'TLS 1.3' }, testbed) })),
  levelLabel: (value) => String(value),
  shortLabel: (value) => (value === 'X25519MLKEM768' ? 'ML-KEM hybrid' : String(value)),
  applies: (levels) => {
    if (levels.security === 'plain') return false;
    const suite = levels.cipherSuite;
    return typeof suite !== 'string' || describeSuite(suite).keyExchange !== 'RSA';
  },
  // Curves mean nothing to a DHE suite: without a finite field among the levels the broker takes its own.
  fits: (value, levels) => !isDhe(levels.cipherSuite) || finiteFields.has(String(value)),
  refuse: (value, levels, testbed) => {
    const name = String(value);
    // A DHE suite takes parameters of the broker's, which its library need not know by name.
    if (isDhe(levels.cipherSuite)) return refuseFiniteField(name, levels, testbed);
    if (levels.security === 'TLS 1.2' && finiteFields.has(name)) {
      return { reason: `under TLS 1.2 ${name} needs a DHE suite`, remedy: 'Combine it with a DHE suite.' };
    }
    if (levels.security === 'TLS 1.2' && name.includes('MLKEM')) {
      return { reason: `${name} needs TLS 1.3`, remedy: 'Combine it with TLS 1.3.' };
    }
    if (!testbed.broker?.tls.groups.includes(name)) {
      return {
        reason: testbed.broker ? `the broker's ${testbed.broker.tls.library} lacks it` : 'no broker',
        remedy: 'Use a broker built with a newer OpenSSL, or another group.',
      };
    }
    if (!offeredByAll(testbed, (tls) => tls.groups).includes(name)) {
      return { reason: 'a client lacks it', remedy: 'Choose a group that both ends offer.' };
    }
    return null;
  },
  apply: (spec, value) => ({ ...spec, group: value === null ? null : String(value) }),
};

/** OpenSSL's automatic parameters have the strength of the certificate's key (SSL_CTX_set_dh_auto(3)). */
function refuseFiniteField(name: string, levels: Levels, { broker }: TestbedView): Refusal | null {
  const bits = /^RSA (\d+)$/.exec(String(levels.certificate))?.[1];
  if (!broker || broker.choosesFiniteField || bits === undefined || name === `ffdhe${bits}`) return null;
  return {
    reason: `${broker.kind} takes ffdhe${bits} with an RSA ${bits} certificate`,
    remedy: `Combine it with RSA ${name.slice('ffdhe'.length)}, or use the embedded broker.`,
  };
}
