import { readdirSync, readFileSync } from 'node:fs';
import { brokerReadySchema } from '@mqttlab/shared/messages/agent';
import { expect, test } from 'vitest';
import { startAgentProcess } from './testing/agent-process.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { prepareBroker, prepareClient, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

/** Names of the mosquitto clients whose configuration is in that folder. */
function clientsOf(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, 'latin1').trim();
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
      return /^mosquitto_(pub|sub)$/.test(name) && environment.includes(folder) ? [name] : [];
    } catch {
      return [];
    }
  });
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s of an agent also ends its mosquitto clients',
  async (signal) => {
    const spec = makeTestSpec({ client: 'mosquitto clients', readingBytes: 100, publishers: 2 });
    const run = { runId: 5, spec, tls: null };
    const device = await startLabDevice();
    const ready = brokerReadySchema.parse(await device.server.mustDo(5, prepareBroker(run)));
    const server = await startFakeServer();
    const dataFolder = makeTemporaryFolder();
    const agent = startAgentProcess({ server, dataFolder, brokers: 'mosquitto' });
    await server.waitFor('hello');
    await server.mustDo(5, prepareClient(run, 'publisher', ready.port));
    await server.mustDo(5, { kind: 'connect' });
    expect(clientsOf(dataFolder)).toEqual(['mosquitto_pub', 'mosquitto_pub']);
    agent.signal(signal);
    await agent.ended;
    await expect.poll(() => clientsOf(dataFolder)).toEqual([]);
  },
);
