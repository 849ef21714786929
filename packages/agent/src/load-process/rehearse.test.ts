import { afterAll, beforeAll, expect, it } from 'vitest';
import { MonotonicClock } from '../pacing/monotonic.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTlsOptions } from '../tls/connect-options.ts';
import { WireTap } from '../tls/testing/wire-tap.ts';
import { freePort, startTestBroker, type TestBroker } from '../workloads/testing/test-broker.ts';
import { rehearse } from './rehearse.ts';

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
