import { describe, expect, it } from 'vitest';
import { aes256Gcm } from '../crypto/aes-gcm.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { MonotonicClock } from './monotonic.ts';
import { loadPayloadCipher } from './payload/payload-path.ts';
import { PublisherLoad } from './publisher-load.ts';
import { rehearseTraffic } from './rehearse-traffic.ts';
import type { RoleLoad } from './role-load.ts';
import { SubscriberLoad } from './subscriber-load.ts';
import { makeTestPayloadKeys } from './testing/payload-keys.ts';
import { makePrepare } from './testing/play-trial.ts';

const payloadKeys = makeTestPayloadKeys(aes256Gcm);
const tls = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;

describe.each([
  { name: 'plain', level: {} },
  { name: 'TLS', level: tls },
  {
    name: 'payload cipher',
    level: { payloadCipher: 'aes-256-gcm', payloadEncoding: 'base64 in JSON' } as const,
  },
])('the rehearsal of traffic ($name)', ({ level }) => {
  // Rehearsals are bounded in time: where other programs held one up, another may do.
  it.each([0, 1, 2] as const)(
    'takes some thousand messages of QoS %i both ways',
    { retry: 3 },
    async (qos) => {
      const clock = new MonotonicClock().calibrate();
      const loads: RoleLoad[] = [];
      for (const role of ['publisher', 'subscriber'] as const) {
        const spec = makeTestSpec({
          ...level,
          qos,
          mqttVersion: qos === 2 ? '5.0' : '3.1.1',
          publishers: 40,
        });
        const command = makePrepare({ spec, port: 1, payloadKeys }, role);
        const payloadCipher = await loadPayloadCipher(command);
        await rehearseTraffic({
          command,
          connection: { clock, readBuffer: Buffer.alloc(65_536) },
          payloadCipher,
          makeLoad: (command) => {
            const options = { command, clock, payloadCipher };
            const load = role === 'publisher' ? new PublisherLoad(options) : new SubscriberLoad(options);
            loads.push(load);
            return load;
          },
        });
      }
      const [sent, received] = loads.map((load) => load.figures().counters);
      expect(sent?.sent).toBeGreaterThan(1_000);
      expect(sent?.acknowledged).toBe(qos === 0 ? 0 : sent?.sent);
      expect(received?.received).toBeGreaterThan(1_000);
      expect(received).toMatchObject({ duplicate: 0, reordered: 0, unauthentic: 0, malformed: 0 });
    },
  );
});
