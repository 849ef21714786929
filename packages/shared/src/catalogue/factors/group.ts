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

/** Finite-field groups (RFC 7919). */
const finiteFields = new Set<string>(['ffdhe2048', 'ffdhe3072']);
function isDhe(suite: unknown): boolean {
  return typeof suite === 'string' && describeSuite(suite).keyExchange === 'DHE';
}

export const group: FactorDefinition = {
  id: 'group',
  label: 'Key exchange',
  group: 'security',
  audience: 'expert',
  help: 'Group of the ephemeral key exchange. X25519MLKEM768 is the post-quantum hybrid. DHE suites use ffdhe groups.',
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
  // DHE suites do not use curves. If no level is a finite-field group, the broker uses its own parameters.
  fits: (value, levels) => !isDhe(levels.cipherSuite) || finiteFields.has(String(value)),
  refuse: (value, levels, testbed) => {
    const name = String(value);
    // A DHE suite uses the broker's parameters, even if its TLS library does not list them as a group.
    if (isDhe(levels.cipherSuite)) return refuseFiniteField(name, levels, testbed);
    if (levels.security === 'TLS 1.2' && finiteFields.has(name)) {
      return { reason: `in TLS 1.2, ${name} needs a DHE suite`, remedy: 'Combine it with a DHE suite.' };
    }
    if (levels.security === 'TLS 1.2' && name.includes('MLKEM')) {
      return { reason: `${name} needs TLS 1.3`, remedy: 'Combine it with TLS 1.3.' };
    }
    if (!testbed.broker?.tls.groups.includes(name)) {
      return {
        reason: testbed.broker
          ? `the broker's ${testbed.broker.tls.library} does not support it`
          : 'no broker',
        remedy: 'Choose a broker with a newer OpenSSL, or another group.',
      };
    }
    if (!offeredByAll(testbed, (tls) => tls.groups).includes(name)) {
      return { reason: 'a client does not support it', remedy: 'Choose a group that both ends offer.' };
    }
    return null;
  },
  apply: (spec, value) => ({ ...spec, group: value === null ? null : String(value) }),
};

/** OpenSSL's automatic parameters match the strength of the certificate's key (SSL_CTX_set_dh_auto(3)). */
function refuseFiniteField(name: string, levels: Levels, { broker }: TestbedView): Refusal | null {
  const bits = /^RSA (\d+)$/.exec(String(levels.certificate))?.[1];
  if (!broker || broker.choosesFiniteField || bits === undefined || name === `ffdhe${bits}`) return null;
  return {
    reason: `${broker.kind} uses ffdhe${bits} with an RSA ${bits} certificate`,
    remedy: `Combine it with RSA ${name.slice('ffdhe'.length)}, or use the embedded broker.`,
  };
}
