import { loadPayloadCipher } from '../../payload/path/payload-path.ts';
import { findPayloadCipher } from '../../payload/payload-ciphers.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import { MonotonicClock } from '../pacing/clock.ts';
import { PublisherLoad } from '../publisher-load.ts';
import type { WarmUpTrafficOptions } from '../rehearsal.ts';
import type { RoleLoad } from '../role-load.ts';
import { SubscriberLoad } from '../subscriber-load.ts';
import { makeTestPayloadKeys } from './payload-keys.ts';
import { makePrepare } from './play-trial.ts';

const payloadKeys = makeTestPayloadKeys(findPayloadCipher('aes-256-gcm')!);
export const rehearsedTls = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;

type Level = Parameters<typeof makeTestSpec>[0];

/** Options of a rehearsal for one role, and the loads it created. */
export async function makeRehearsal(role: 'publisher' | 'subscriber', level: Level) {
  const clock = new MonotonicClock().calibrate();
  const loads: RoleLoad[] = [];
  const command = makePrepare({ spec: makeTestSpec(level), port: 1, payloadKeys }, role);
  const payloadCipher = await loadPayloadCipher(command);
  const options: WarmUpTrafficOptions = {
    command,
    connection: { clock, readBuffer: Buffer.alloc(65_536) },
    payloadCipher,
    makeLoad: (command) => {
      const options = { command, clock, payloadCipher };
      const load = role === 'publisher' ? new PublisherLoad(options) : new SubscriberLoad(options);
      loads.push(load);
      return load;
    },
  };
  return { options, clock, loads };
}
