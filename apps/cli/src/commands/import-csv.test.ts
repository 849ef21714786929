import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import { type ApiRig, project, startApiRig } from '../testing/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'mqttlab-import-csv-'));
const samples = join(project.root, 'packages/shared/src/foreign/samples');

let rig: ApiRig;
beforeAll(async () => {
  rig = await startApiRig();
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true });
});

const call = (...argv: string[]) => callCli(['import-csv', ...argv], { env: { MQTTLAB_URL: rig.origin } });

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it('imports the mapped columns of a CSV, marked as foreign', async () => {
  const path = write('results.csv', 'broker,p50_ms\nEMQX,2\nEMQX,2.1\nMosquitto,1\nMosquitto,1.1\n');
  const { code, said, noted } = await call(
    path,
    '--map',
    'latency.p50=p50_ms',
    '--treatment',
    'broker',
    '--tool',
    'my-script',
    '--baseline',
    'Mosquitto',
  );
  expect([code, said]).toEqual([0, expect.stringMatching(/^E-\d+ Measured with my-script: 4 runs$/)]);
  expect(noted).toContain('latency.p50 in ms');
  expect(noted).toContain('Foreign: measured with my-script');
  const id = Number(/^E-(\d+)/.exec(said)?.[1]);
  const { imported, plan } = rig.services.stores.experiments.findExperiment(id)!;
  expect(imported).toMatchObject({ from: 'my-script: results.csv', foreign: { tool: 'my-script' } });
  expect(plan!.treatments.map(({ label }) => label)).toEqual(['Mosquitto', 'EMQX']);
});

it.each([
  ['mqtt-benchmark', ['mqtt-benchmark.json', 'mqtt-benchmark.txt'], 'exchange.mean in ms'],
  ['emqtt-bench', ['emqtt-bench-sub.txt', 'emqtt-bench-pub.txt'], 'rate.messages in msg/s'],
])('imports outputs of %s, one run per file', async (format, [first = '', second = ''], words) => {
  const files = [`a=${join(samples, first)}`, `b=${join(samples, second)}`];
  const { code, said, noted } = await call('--format', format, ...files);
  expect([code, said]).toEqual([0, expect.stringMatching(/: 2 runs$/)]);
  expect(noted).toContain(words);
  expect(noted).toContain(`Foreign: measured with ${format}`);
});

it('names the option, the line or the file of an error', async () => {
  const path = write('wrong.csv', 'broker,p50_ms\nEMQX,fast\n');
  const map = ['--map', 'latency.p50=p50_ms', '--tool', 'x'];
  for (const [argv, words] of [
    [[path, '--map', 'latency.p50=p50_ms'], '--tool: name the tool'],
    [[path, '--tool', 'x'], '--map: name the column'],
    [[path, '--tool', 'x', '--map', 'latency.p51=p50_ms'], 'did you mean "latency.p5'],
    [[path, ...map], 'line 2, column "p50_ms": "fast" is not a number'],
    [[path, ...map, '--treatment', 'brokr'], '--treatment: the file has no column "brokr"'],
    [[path, '--format', 'jmeter'], '--format: choose one of mqtt-benchmark, emqtt-bench'],
    [[path, '--format', 'emqtt-bench'], 'write the treatment before the file'],
    [[`a=${path}`, '--format', 'emqtt-bench'], 'has no counter line'],
  ] as const) {
    const { code, noted } = await call(...argv);
    expect([code, noted]).toEqual([2, expect.stringContaining(words)]);
  }
});
