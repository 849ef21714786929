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

/** Groups that came with TLS 1.3: finite fields by name (RFC 7919 in 1.3 only here) and hybrids. */
const onlyTls13 = new Set<string>(['ffdhe2048', 'ffdhe3072', 'X25519MLKEM768']);

export const group: FactorDefinition = {
  id: 'group',
  label: 'Key exchange',
  group: 'security',
  audience: 'expert',
  help: 'The group of the ephemeral key exchange. X25519MLKEM768 is the post-quantum hybrid.',
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
    if (typeof suite !== 'string') return true;
    const { keyExchange } = describeSuite(suite);
    return keyExchange === 'by group' || keyExchange === 'ECDHE';
  },
  refuse: (value, levels, testbed) => {
    if (onlyTls13.has(String(value)) && levels.security === 'TLS 1.2') {
      return { reason: `${value} needs TLS 1.3`, remedy: 'Combine it with TLS 1.3.' };
    }
    if (!testbed.broker?.tls.groups.includes(String(value))) {
      return {
        reason: testbed.broker ? `the broker's ${testbed.broker.tls.library} lacks it` : 'no broker',
        remedy: 'Use a broker built with a newer OpenSSL, or another group.',
      };
    }
    if (!offeredByAll(testbed, (tls) => tls.groups).includes(String(value))) {
      return { reason: 'a client lacks it', remedy: 'Choose a group that both ends offer.' };
    }
    return null;
  },
  apply: (spec, value) => ({ ...spec, group: value === null ? null : String(value) }),
};
