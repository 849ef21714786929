import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAgentProcess } from './testing/agent-process.ts';
import { makeTestCertificates } from './testing/certificates.ts';
import { testEntry } from './testing/entry.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { carryOutRun } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

async function startDevice(bundle: string, brokers: string) {
  const server = await startFakeServer();
  startAgentProcess({ server, dataFolder: makeTemporaryFolder(), brokers, entry: [bundle] });
  const { capabilities } = await server.waitFor('hello');
  return { server, capabilities };
}

/** Only the bundle, in a folder outside this repository. */
function installBundle(): string {
  const folder = makeTemporaryFolder();
  const installed = join(folder, 'agent.mjs');
  copyFileSync(testEntry.args.at(-1)!, installed);
  expect(readdirSync(folder)).toEqual(['agent.mjs']);
  return installed;
}

test.each([
  { kind: 'mosquitto', rehearsal: 'on' },
  { kind: 'embedded', rehearsal: 'off' },
] as const)(
  'one file executes complete runs with $kind, with rehearsal $rehearsal, without any node_modules',
  async ({ kind, rehearsal }) => {
    vi.stubEnv('MQTTLAB_REHEARSAL', rehearsal);
    onTestFinished(() => void vi.unstubAllEnvs());
    const bundle = installBundle();
    const [broker, publisher, subscriber] = await Promise.all([1, 2, 3].map(() => startDevice(bundle, kind)));
    const lab = { broker: broker!, publisher: publisher!, subscriber: subscriber! };
    // WebAssembly is also in that file.
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
