import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeFixedTls } from '../tls/client-tls.ts';
import { makeTlsOptions } from '../tls/connect-options.ts';
import { WireTap } from '../tls/testing/wire-tap.ts';
import { MonotonicClock } from './pacing/clock.ts';
import { openBesideTraffic, rehearse } from './rehearsal.ts';
import { makeRehearsal } from './testing/rehearsal-bench.ts';
import { freePort, startTestBroker, type TestBroker } from './testing/test-broker.ts';

describe('next to a quiet load in the warm-up', () => {
  it.each(['publisher', 'subscriber'] as const)(
    'ends immediately if the run of a %s is abandoned',
    async (role) => {
      const level = { readingsPerSecond: 200, warmUpMs: 600_000 };
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
    { name: 'a load as fast as possible', level: { readingsPerSecond: null, warmUpMs: 1_000 } },
    { name: 'a short warm-up', level: { readingsPerSecond: 200, warmUpMs: 200 } },
  ])('is omitted for $name', async ({ level }) => {
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
    session: { clientId: 'rehearsal' },
    broker: { address: '127.0.0.1', port },
    tls: makeFixedTls(makeTlsOptions(spec, certificates)),
    clock: new MonotonicClock(),
    readBuffer: Buffer.alloc(1_024),
  };
}

it('opens and closes a connection three times', async () => {
  await rehearse(() => optionsFor(tap.port), true);
  expect(tap.connections).toBe(3);
});

it('leaves the error report to the real connections', async () => {
  const port = await freePort();
  await expect(rehearse(() => optionsFor(port), false)).resolves.toBeUndefined();
});
