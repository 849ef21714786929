import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { buildAgent } from '../build.mjs';
import { startAgentProcess } from './testing/agent-process.ts';
import { makeTestCertificates } from './testing/certificates.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { carryOutRun } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

// Whole runs as in use, with their rehearsal.
vi.stubEnv('MQTTLAB_REHEARSAL', 'on');
afterAll(() => vi.unstubAllEnvs());

async function startDevice(bundle: string, brokers: string) {
  const server = await startFakeServer();
  startAgentProcess({ server, dataFolder: makeTemporaryFolder(), brokers, entry: [bundle] });
  const { capabilities } = await server.waitFor('hello');
  return { server, capabilities };
}

/** The bundle alone in a folder outside this repository. */
async function installBundle(): Promise<string> {
  const folder = makeTemporaryFolder();
  const built = await buildAgent({ outfile: join(makeTemporaryFolder(), 'agent.mjs') });
  const installed = join(folder, 'agent.mjs');
  copyFileSync(built, installed);
  expect(readdirSync(folder)).toEqual(['agent.mjs']);
  return installed;
}

test.each(['mosquitto', 'embedded'] as const)(
  'one file carries whole Runs with %s, without any node_modules',
  async (kind) => {
    const bundle = await installBundle();
    const [broker, publisher, subscriber] = await Promise.all([1, 2, 3].map(() => startDevice(bundle, kind)));
    const lab = { broker: broker!, publisher: publisher!, subscriber: subscriber! };
    // WebAssembly too is in the one file.
    expect(lab.publisher.capabilities.payloadCiphers).toContain('salsa20-blake2b');
    const tls = makeTestCertificates('RSA 2048');
    const secure = { security: 'TLS 1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256', group: 'X25519' } as const;
    const specs = [
      makeTestSpec({ broker: kind }),
      makeTestSpec({ ...secure, broker: kind, certificate: 'RSA 2048' }),
    ];
    for (const [index, spec] of specs.entries()) {
      const { results } = await carryOutRun(lab, { runId: index + 1, spec, tls: index === 0 ? null : tls });
      expect(results.publisher.failure).toBeNull();
      const { sent = 0 } = results.publisher.counters ?? {};
      expect(sent).toBeGreaterThan(0);
      expect(results.subscriber.counters?.received).toBe(sent);
      expect(results.broker.environment['broker.kind']).toBe(kind);
    }
  },
);
