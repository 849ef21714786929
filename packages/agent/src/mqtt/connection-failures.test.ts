import { createServer, type Server } from 'node:net';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure } from '@mqttlab/shared/kit/failure';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LoadClient } from '../load/load-client.ts';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { makePrepare, type TestTrial } from '../load/testing/play-trial.ts';
import { freePort, startTestBroker, type TestBrokerOptions } from '../load/testing/test-broker.ts';
import { makeTestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';

async function brokerOf(options: TestBrokerOptions = {}): Promise<number> {
  const broker = await startTestBroker(options);
  onTestFinished(() => broker.stop());
  return broker.port;
}

/** A server that answers the first received bytes with these, and the next with `second`. */
async function answering(bytes: readonly number[], second: readonly number[] = []): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      if (bytes.length === 0) return;
      socket.write(Buffer.from(bytes));
      socket.once('data', () => socket.write(Buffer.from(second)));
    });
  });
  return await listening(server);
}

async function hangingUp(): Promise<number> {
  return await listening(createServer((socket) => socket.once('data', () => socket.end())));
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  return bound !== null && typeof bound === 'object' ? bound.port : 0;
}

async function failureOf(trial: TestTrial, role: 'publisher' | 'subscriber' = 'subscriber') {
  const client = new LoadClient({
    command: makePrepare(trial, role),
    clock: new MonotonicClock().calibrate(),
    onPhase: () => {},
    onFailure: () => {},
    rehearses: false,
  });
  try {
    await client.prepare();
    await client.connect();
  } catch (error) {
    if (error instanceof Failure) return error.report;
    throw error;
  } finally {
    await client.finish();
  }
  throw new Error('The connection was made');
}

const tls13: Partial<TrialSpec> = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
};

describe('failures to connect', () => {
  it('reports a closed port with a remedy', async () => {
    const failure = await failureOf({ spec: makeTestSpec(), port: await freePort() });
    expect(failure.code).toBe('connection-refused');
    expect(failure.message).toMatch(/127\.0\.0\.1:\d+.*ECONNREFUSED/);
    expect(failure.remedy).toMatch(/broker is running/);
  });

  it('reports the reason of OpenSSL when versions do not match', async () => {
    const certificates = makeTestCertificates('ECDSA P-256');
    const port = await brokerOf({ certificates, lines: ['tls_version tlsv1.3'] });
    const tls12 = { security: 'TLS 1.2', cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;
    const failure = await failureOf({ spec: makeTestSpec({ ...tls13, ...tls12 }), port, ...certificates });
    expect(failure.code).toBe('tls-handshake');
    expect(failure.message).toMatch(/protocol version/);
  });

  it('does not trust another authority, nor another name', async () => {
    const certificates = makeTestCertificates('ECDSA P-256');
    const other = makeTestCertificates('ECDSA P-256');
    const port = await brokerOf({ certificates });
    const spec = makeTestSpec(tls13);
    const untrusted = await failureOf({ spec, port, ...certificates, authority: other.authority });
    expect(untrusted).toMatchObject({ code: 'tls-handshake' });
    expect(untrusted.message).toMatch(/SELF_SIGNED|signature|issuer/i);
    const misnamed = await failureOf({ spec, port, ...certificates, serverName: 'elsewhere.test' });
    expect(misnamed.message).toMatch(/elsewhere\.test/);
  });

  it('refuses a certificate of another kind', async () => {
    const certificates = makeTestCertificates('RSA 2048');
    const port = await brokerOf({ certificates });
    // The only offered signature scheme is not available with an RSA key.
    const failure = await failureOf({ spec: makeTestSpec(tls13), port, ...certificates });
    expect(failure.code).toBe('tls-handshake');
  });

  it('names a suite that OpenSSL does not support', async () => {
    const certificates = makeTestCertificates('ECDSA P-256');
    const spec = makeTestSpec({ ...tls13, cipherSuite: 'TLS_NO_SUCH_SUITE' });
    const failure = await failureOf({ spec, port: await freePort(), ...certificates });
    expect(failure).toMatchObject({ code: 'tls-handshake' });
    expect(failure.message).toMatch(/OpenSSL rejected/);
  });

  it('reports the return code of the broker when it refuses CONNECT', async () => {
    const port = await brokerOf({ lines: ['allow_anonymous false'] });
    const old = await failureOf({ spec: makeTestSpec({ mqttVersion: '3.1.1' }), port });
    expect(old).toMatchObject({ code: 'connack-refused' });
    expect(old.message).toMatch(/not authorised \(code 5\)/);
    const five = await failureOf({ spec: makeTestSpec({ mqttVersion: '5.0' }), port });
    expect(five.message).toMatch(/not authorised \(code 135\)/);
  });

  it('detects that the broker closes the connection instead of answering', async () => {
    const failure = await failureOf({ spec: makeTestSpec(), port: await hangingUp() });
    expect(failure).toMatchObject({ code: 'connack-refused' });
    expect(failure.message).toMatch(/closed the connection/);
  });

  it('reports which QoS the broker allows', async () => {
    const connack = [0x20, 5, 0, 0, 2, 36, 1];
    const spec = makeTestSpec({ mqttVersion: '5.0', qos: 2 });
    const failure = await failureOf({ spec, port: await answering(connack) });
    expect(failure).toMatchObject({ code: 'negotiation-mismatch' });
    expect(failure.message).toMatch(/QoS 1 at most, not 2/);
  });

  it('reports that the broker does not accept messages of this size', async () => {
    const port = await brokerOf({ lines: ['max_packet_size 200'] });
    const spec = makeTestSpec({ mqttVersion: '5.0', readingBytes: 1_000 });
    const failure = await failureOf({ spec, port }, 'publisher');
    expect(failure).toMatchObject({ code: 'packet-too-large' });
    expect(failure.message).toMatch(/accepts at most 200/);
  });

  it.each([
    { suback: [0x90, 3, 0, 1, 0x80], code: 'suback-refused', message: /unspecified error/ },
    { suback: [0x90, 3, 0, 1, 0], code: 'negotiation-mismatch', message: /QoS 0 instead of 1/ },
  ])('detects a subscription that is not granted as requested: $code', async ({ suback, code, message }) => {
    const port = await answering([0x20, 2, 0, 0], suback);
    const failure = await failureOf({ spec: makeTestSpec({ qos: 1 }), port });
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(message);
  });

  it('times out if the broker does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = Promise.withResolvers<void>();
    const port = await listening(createServer((socket) => socket.once('data', () => asked.resolve())));
    const failing = failureOf({ spec: makeTestSpec(), port });
    await asked.promise;
    vi.advanceTimersByTime(15_000);
    const failure = await failing;
    expect(failure).toMatchObject({ code: 'timeout' });
    expect(failure.message).toMatch(/did not answer the MQTT request/);
  });
});
