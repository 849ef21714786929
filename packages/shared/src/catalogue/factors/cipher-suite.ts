import * as z from 'zod';
import { offeredByAll, offeredByAny } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition } from '../../domain/factor.ts';
import { describeSuite } from '../ciphers/suites.ts';

/** Suites listed first, as readers of RFC 9325 expect. */
export const wellKnownSuites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-GCM-SHA256',
];

export const cipherSuite: FactorDefinition = {
  id: 'cipherSuite',
  label: 'Cipher suite',
  group: 'security',
  audience: 'everyone',
  help: 'Both ends offer exactly this suite, so no other can be negotiated.',
  unit: null,
  schema: z
    .string()
    .max(80)
    .regex(/^[A-Z0-9][A-Z0-9_-]+$/, 'is not the OpenSSL name of a suite'),
  input: { kind: 'choice' },
  defaultLevel: () => 'TLS_AES_256_GCM_SHA384',
  options: (testbed) => {
    const offered = offeredByAny(testbed, (tls) => tls.suites);
    const first = wellKnownSuites.filter((name) => offered.includes(name));
    const names = [...first, ...offered.filter((name) => !first.includes(name))];
    return names.map((value) => ({ value, refusal: cipherSuite.refuse(value, {}, testbed) }));
  },
  levelLabel: (value) => String(value),
  shortLabel: (value) => {
    const { cipher, mac, ...suite } = describeSuite(String(value));
    const how = suite.security === 'TLS 1.3' ? '' : ` ${suite.keyExchange}`;
    const hash = mac === 'AEAD' ? '' : `-${mac.replace('-', '')}`;
    return `${cipher}${hash}${how}${suite.keyExchange === 'ECDHE' ? `-${suite.authentication}` : ''}`;
  },
  // Omits the parts of the name that do not distinguish the suites in a comparison.
  nameAmong: (value, levels) => {
    const { security, cipher } = describeSuite(String(value));
    const isAlone = levels.every((level) => {
      const other = describeSuite(String(level));
      return level === value || other.security !== security || other.cipher !== cipher;
    });
    return isAlone ? cipher : cipherSuite.shortLabel(value);
  },
  // The first colour is reserved for plain MQTT.
  usual: ['', ...wellKnownSuites],
  section: (value) => describeSuite(String(value)).security,
  caution: (value) => describeSuite(String(value)).insecure,
  applies: (levels) => levels.security !== 'plain',
  refuse: (value, levels, testbed) => {
    const suite = describeSuite(String(value));
    const asked = levels.security;
    if (asked !== undefined && asked !== null && asked !== suite.security) {
      return {
        reason: suite.security === 'TLS 1.3' ? 'TLS 1.2 cannot negotiate it' : 'TLS 1.3 has its own suites',
        remedy: `Combine it with ${suite.security}.`,
      };
    }
    if (!testbed.broker?.tls.suites.includes(suite.name)) {
      return {
        reason: testbed.broker ? `the broker's ${testbed.broker.tls.library} does not offer it` : 'no broker',
        remedy: 'Choose a suite that both ends offer, or another broker.',
      };
    }
    if (!offeredByAll(testbed, (tls) => tls.suites).includes(suite.name)) {
      return { reason: 'a client does not offer it', remedy: 'Choose a suite that both ends offer.' };
    }
    return null;
  },
  apply: (spec, value) => ({ ...spec, cipherSuite: value === null ? null : String(value) }),
};
