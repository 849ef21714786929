import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { offeredByAll } from '../../domain/testbed-view.ts';
import { describeSuite } from '../suites.ts';

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
/** What a broker takes for DHE suites when nothing else is asked for. */
const usualFiniteField = 'ffdhe2048';

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
  // Curves mean nothing to a DHE suite: without a finite field among the levels it takes the usual one.
  fits: (value, levels) => !isDhe(levels.cipherSuite) || finiteFields.has(String(value)),
  refuse: (value, levels, testbed) => {
    const name = String(value);
    // The broker is given the parameters of a DHE suite; its library need not know them by name.
    if (isDhe(levels.cipherSuite)) return null;
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
  apply: (spec, value) => ({
    ...spec,
    group: value === null ? (isDhe(spec.cipherSuite) ? usualFiniteField : null) : String(value),
  }),
};
