import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { sessions, type TlsSession } from '../../domain/plans/trial-spec.ts';
import { processClientsOf } from './client.ts';

export const session: FactorDefinition = {
  id: 'session',
  label: 'Session',
  group: 'security',
  audience: 'everyone',
  help: 'Full: a complete handshake. Resumed: a handshake with a ticket from an earlier connection, so no certificate is sent.',
  unit: null,
  schema: z.enum(sessions),
  input: { kind: 'choice' },
  defaultLevel: () => 'full',
  options: (testbed) => sessions.map((value) => ({ value, refusal: session.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === 'full' ? 'Full handshake' : 'Resumed session'),
  shortLabel: (value) => String(value),
  applies: (levels) => levels.security !== 'plain',
  refuse: (value, levels, testbed) => {
    if (value === 'full') return null;
    const clients = processClientsOf(levels);
    if (clients !== null) {
      return { reason: `${clients.name} do not store sessions`, remedy: 'Choose the native client.' };
    }
    const { broker } = testbed;
    if (broker === null) return { reason: 'no broker', remedy: 'Install Mosquitto on the broker’s device.' };
    const resumes: readonly unknown[] = broker.resumes;
    const asked = levels.security ?? null;
    if (asked === null ? resumes.length > 0 : resumes.includes(asked)) return null;
    return {
      reason: `${broker.kind} ${broker.version} does not resume ${asked ?? 'TLS'} sessions`,
      remedy: 'Choose full handshakes, or another broker.',
    };
  },
  apply: (spec, value) => ({ ...spec, session: value as TlsSession | null }),
};
