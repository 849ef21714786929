import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { expectLossless } from './testing/expect-lossless.ts';
import { playTrial } from './testing/play-trial.ts';

const short = { readingsPerSecond: 400, warmUpMs: 50, measureMs: 200, window: 1_000 };

function portOf(server: Server): number {
  const bound = server.address();
  return bound !== null && typeof bound === 'object' ? bound.port : 0;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

describe('against another broker (aedes)', () => {
  let broker: Aedes;
  let certificates: TestCertificates;
  let plain: Server;
  let encrypted: Server;
  beforeAll(async () => {
    certificates = makeTestCertificates('ECDSA P-256');
    broker = new Aedes({ concurrency: 1_000, queueLimit: 10_000 });
    await broker.listen();
    plain = createServer((socket) => void broker.handle(socket));
    const { certificateChain: cert, privateKey: key } = certificates;
    encrypted = createTlsServer({ cert, key }, (socket) => void broker.handle(socket));
    await Promise.all([listen(plain), listen(encrypted)]);
  });
  afterAll(() => {
    broker.close();
    plain.close();
    encrypted.close();
  });

  const cases = (['3.1', '3.1.1'] as const).flatMap((version) =>
    ([0, 1, 2] as const).map((qos) => ({ version, qos })),
  );

  it.each(cases)('carries every message over MQTT $version at QoS $qos', async ({ version, qos }) => {
    const spec = makeTestSpec({ ...short, mqttVersion: version, qos, topic: `aedes/${version}/${qos}` });
    expectLossless(spec, await playTrial({ spec, port: portOf(plain) }));
  });

  it.each([0, 1, 2] as const)('carries every message over TLS 1.3 at QoS %i', async (qos) => {
    const tls = {
      security: 'TLS 1.3',
      cipherSuite: 'TLS_AES_128_GCM_SHA256',
      certificate: 'ECDSA P-256',
    } as const;
    const spec = makeTestSpec({ ...short, ...tls, group: 'X25519MLKEM768', qos, topic: `aedes/tls/${qos}` });
    const { authority, serverName } = certificates;
    const trial = await playTrial({ spec, port: portOf(encrypted), authority, serverName });
    expectLossless(spec, trial);
    expect(trial.subscriber.negotiated?.group).toBe('X25519MLKEM768');
  });
});
