import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import { Rig } from '../testing/server.ts';

const definition = `name: Cluster
devices: []
pools:
  - { pool: hub, role: broker }
  - { pool: load, role: publisher }
  - { pool: sink, role: subscriber }
links:
  - name: pods
    interfaces: { hub: eth0, load: eth0, sink: eth0 }
`;

let rig: Rig;
let url: string;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-testbed-'));
  rig = new Rig();
  url = (await rig.start()).url;
});
afterEach(async () => {
  await rig.remove();
  rmSync(folder, { recursive: true });
});

const call = (...argv: string[]) => callCli(['testbed', ...argv], { env: { MQTTLAB_URL: url } });

function writeDefinition(text: string): string {
  const path = join(folder, 'cluster.yaml');
  writeFileSync(path, text);
  return path;
}

it('sets the ports of brokers from a file, and shows them in the same form', async () => {
  const path = writeDefinition(`${definition}brokerPorts: { first: 18830, last: 18839 }\n`);
  expect(await call('set', path)).toMatchObject({ code: 0, noted: 'It was made.' });
  const shown = join(folder, 'shown.yaml');
  expect((await call('show', 'cluster', '--output', shown)).code).toBe(0);
  expect(readFileSync(shown, 'utf8')).toMatch(/brokerPorts:\s+first: 18830\s+last: 18839/);
  expect(await call('set', shown)).toMatchObject({ code: 0, noted: 'It was changed.' });
  const { said } = await call('show', 'cluster', '--json');
  expect(JSON.parse(said)).toMatchObject({ brokerPorts: { first: 18_830, last: 18_839 } });
  await call('set', writeDefinition(definition));
  expect((await call('show', 'cluster')).said).toContain('brokerPorts: null');
});

it('lists testbeds with their devices and links, and removes one', async () => {
  await call('set', writeDefinition(definition));
  const { said } = await call('list');
  expect(said).toMatch(/^Id +Name +State +Devices +Links/);
  expect(said).toMatch(/^cluster +Cluster +idle +0 of 0 online +pods/m);
  expect(await call('remove', 'cluster')).toMatchObject({
    code: 0,
    noted: 'cluster is removed; its devices stay.',
  });
  expect((await call('list')).said).not.toContain('cluster');
  expect((await call('remove', 'cluster')).code).toBe(1);
});

it('names the field of a range that is not valid', async () => {
  const path = writeDefinition(`${definition}brokerPorts: { first: 18839, last: 18830 }\n`);
  expect(await call('set', path)).toMatchObject({
    code: 2,
    noted: expect.stringMatching(/brokerPorts\.last: is below the first port\. \w/),
  });
});
