import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MonotonicClock } from '../pacing/clock.ts';
import { loadPayloadCipher } from '../payload/path/payload-path.ts';
import { findPayloadCipher } from '../payload/payload-ciphers.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTlsOptions } from '../tls/connect-options.ts';
import { WireTap } from '../tls/testing/wire-tap.ts';
import { PublisherLoad } from './publisher-load.ts';
import { openBesideTraffic, rehearse, rehearseTraffic } from './rehearsal.ts';
import type { RoleLoad } from './role-load.ts';
import { SubscriberLoad } from './subscriber-load.ts';
import { makeTestPayloadKeys } from './testing/payload-keys.ts';
import { makePrepare } from './testing/play-trial.ts';
import { freePort, startTestBroker, type TestBroker } from './testing/test-broker.ts';
import type { WarmUpTrafficOptions } from './warm-up-traffic.ts';

const payloadKeys = makeTestPayloadKeys(findPayloadCipher('aes-256-gcm')!);
const tls = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;

type Level = Parameters<typeof makeTestSpec>[0];

/** What a rehearsal needs for one role, and the loads that it made. */
async function makeRehearsal(role: 'publisher' | 'subscriber', level: Level) {
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
      const loads: RoleLoad[] = [];
      for (const role of ['publisher', 'subscriber'] as const) {
        const mqttVersion = qos === 2 ? ('5.0' as const) : ('3.1.1' as const);
        const rehearsal = await makeRehearsal(role, { ...level, qos, mqttVersion, publishers: 40 });
        await rehearseTraffic(rehearsal.options);
        loads.push(...rehearsal.loads);
      }
      const [sent, received] = loads.map((load) => load.figures().counters);
      expect(sent?.sent).toBeGreaterThan(1_000);
      expect(sent?.acknowledged).toBe(qos === 0 ? 0 : sent?.sent);
      expect(received?.received).toBeGreaterThan(1_000);
      expect(received).toMatchObject({ duplicate: 0, reordered: 0, unauthentic: 0, malformed: 0 });
    },
  );
});

describe('beside of a quiet load in the warm-up', () => {
  it.each(['publisher', 'subscriber'] as const)(
    'keeps a %s busy and is over before the measure phase',
    { retry: 3 },
    async (role) => {
      const level = { ...tls, qos: 1, readingsPerSecond: 200, warmUpMs: 700 } as const;
      const { options, clock, loads } = await makeRehearsal(role, level);
      const beside = await openBesideTraffic(options);
      const measureAtUs = clock.nowUs() + level.warmUpMs * 1e3;
      await beside?.playUntilMeasured(measureAtUs);
      expect(clock.nowUs()).toBeLessThan(measureAtUs);
      const counters = loads[0]?.figures().counters;
      expect(role === 'publisher' ? counters?.acknowledged : counters?.received).toBeGreaterThan(100);
    },
  );

  it.each(['publisher', 'subscriber'] as const)(
    'ends at once where the Run of a %s is given up',
    async (role) => {
      const level = { readingsPerSecond: 200, warmUpMs: 20_000 };
      const { options, clock } = await makeRehearsal(role, level);
      const beside = await openBesideTraffic(options);
      const overAtUs = clock.nowUs() + level.warmUpMs * 1e3;
      const played = beside?.playUntilMeasured(overAtUs);
      await beside?.close();
      await played;
      expect(clock.nowUs()).toBeLessThan(overAtUs);
    },
  );

  it.each([
    { name: 'a load that compiles its own code', level: { readingsPerSecond: 5_000, warmUpMs: 1_000 } },
    { name: 'one as fast as possible', level: { readingsPerSecond: null, warmUpMs: 1_000 } },
    { name: 'a short warm-up', level: { readingsPerSecond: 200, warmUpMs: 200 } },
  ])('is left out for $name', async ({ level }) => {
    const { options } = await makeRehearsal('publisher', level);
    expect(await openBesideTraffic(options)).toBeNull();
  });
});

let certificates: TestCertificates;
let broker: TestBroker;
let tap: WireTap;
beforeAll(async () => {
  certificates = makeTestCertificates('ECDSA P-256');
  broker = await startTestBroker({ certificates });
  tap = new WireTap(broker.port);
  await tap.start();
});
afterAll(async () => {
  tap.stop();
  await broker.stop();
});

function optionsFor(port: number) {
  const spec = makeTestSpec({
    security: 'TLS 1.3',
    cipherSuite: 'TLS_AES_128_GCM_SHA256',
    group: 'X25519',
    certificate: 'ECDSA P-256',
  });
  return {
    spec,
    clientId: 'rehearsal',
    broker: { address: '127.0.0.1', port },
    tls: makeTlsOptions(spec, certificates),
    clock: new MonotonicClock(),
    readBuffer: Buffer.alloc(1_024),
  };
}

it('sets a connection up and down three times', async () => {
  await rehearse(() => optionsFor(tap.port), true);
  expect(tap.connections).toBe(3);
});

it('leaves it to the real connections to say what is wrong', async () => {
  const port = await freePort();
  await expect(rehearse(() => optionsFor(port), false)).resolves.toBeUndefined();
});
