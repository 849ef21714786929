import * as z from 'zod';
import { offeredByAll } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type Security, securityLevels } from '../../domain/plans/trial-spec.ts';
import { describeSuite } from '../ciphers/suites.ts';

const schema = z.enum(securityLevels);

export const security: FactorDefinition = {
  id: 'security',
  label: 'Protocol',
  group: 'security',
  audience: 'everyone',
  help: 'Plain MQTT is the usual baseline. TLS protects the connection between each client and the broker.',
  unit: null,
  schema,
  input: { kind: 'choice' },
  defaultLevel: () => 'TLS 1.3',
  options: (testbed) =>
    securityLevels.map((value) => ({ value, refusal: security.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === 'plain' ? 'Plain' : String(value)),
  shortLabel: (value) => (value === 'plain' ? 'Plain' : String(value)),
  applies: () => true,
  refuse: (value, _levels, testbed) => {
    if (value === 'plain') return null;
    const shared = offeredByAll(testbed, (tls) => tls.suites);
    if (shared.some((name) => describeSuite(name).security === value)) return null;
    return {
      reason: `broker and clients share no ${value} suite`,
      remedy: 'Choose another protocol, or install a broker whose OpenSSL supports this one.',
    };
  },
  apply: (spec, value) => ({ ...spec, security: (value ?? 'plain') as Security }),
};
