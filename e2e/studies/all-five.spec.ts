import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StudyList, StudyRun } from '@mqttlab/shared/messages/studies';
import { openResult, waitUntilOver } from '../fixtures/study-runs.ts';
import { expect, test } from '../fixtures/test.ts';

const execute = promisify(execFile);
const cli = join(import.meta.dirname, '..', '..', 'dist', 'cli.mjs');

/** What a study names and its page must show, from data of that run. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'rpi-broker': [
    'CPU of the broker over subscribers',
    'Line and saturation',
    'Memory of the broker over subscribers',
    'CPU and memory of the broker by subscribers',
    'Bytes to reach a state',
    'Where the bytes go',
    'Time of an exchange by loss and protocol',
    'Throughput by loss, MB/min',
    'Latency of MQTT, published and measured',
    'Attempts of a legitimate client that reached the broker',
    'What an eavesdropper sees',
  ],
  'cipher-suites': [
    'Best and worst suite, here',
    'Best QoS, suite and version of TLS by link',
    'Bandwidth by suite',
    'Mean message time by suite',
    'Responses of the study by suite',
    'Average run time',
    'Message time by suite',
  ],
  'v2x-tls': [
    'Setting a connection up, by phase',
    ...['Time', 'CPU time', 'Bytes', 'Energy'].map((what) => `${what} by phase`),
    'CPU utilisation',
    'Energy',
    'Memory footprint',
    'Goodput',
    'Bytes on the wire for each reading',
    'Execution time for 10,000 readings',
    'CPU time for 10,000 readings, by role',
  ],
  'stability-aware': [
    'Summary of the emitter',
    'What each configuration protects',
    'Repeatability of the emitter’s current',
    'autocorrelation and partial autocorrelation',
    'bootstrap distribution of the difference',
    'Emitter’s current over time',
    'Relative overhead of the emitter’s cumulative energy over time',
    'Coefficients of variation, as Table 4',
    'TLS against payload encryption',
    'The three hypotheses',
    'Ranking by energy',
    'Cumulative energy',
    'Message latency',
    'Effect sizes against plain',
    'Map of effect sizes',
    'Sensitivity of the energy',
    'Pareto front',
    'Life on',
  ],
  hecs4mqtt: [
    'Cost of the payload ciphers',
    'Encryption time taken apart',
    'What the study evaluates, table 1',
    'How the study compares both approaches (its table 3)',
    'Approximate entropy of the ciphertext',
    'Layered against TLS only',
    'Tamper log',
    'What the bridge does for each message',
    'Status of the brokers by heartbeats',
    'What an eavesdropper sees',
  ],
};
const limitMs = 300_000;

// The pages show measured figures.
test.use({ rehearsal: 'on' });

for (const [id, titles] of Object.entries(shown)) {
  test(`${id} runs at smoke scale from the gallery, and its page shows what the study names`, async ({
    server,
    page,
  }) => {
    const { items } = await server.api<StudyList>('GET', '/studies');
    const study = items.find((item) => item.id === id);
    await page.goto(`${server.address}/studies`);
    const card = page.getByRole('region', { name: study?.title ?? id });
    await card.getByRole('button', { name: /^Run / }).click();
    await page.getByRole('menuitem', { name: /^smoke/ }).click();
    await expect(page).toHaveURL(/\/studies\/runs\/\d+$/);
    const startedAt = Date.now();
    const number = Number(/(\d+)$/.exec(page.url())?.[1]);
    const run = await waitUntilOver(server, number, limitMs);
    test.info().annotations.push({ type: 'took', description: `${(Date.now() - startedAt) / 1000} s` });
    console.log(`${id}: ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
    expect(run.status).toBe('done');
    for (const { progress } of run.parts.filter(({ experimentId }) => experimentId !== null)) {
      expect(progress?.done).toBe(progress?.trials);
      expect(progress?.failed).toBe(0);
    }
    const words = await openResult(page, server, run);
    const remarks = ['What the text does not say', 'What we did differently'];
    for (const title of [...titles, ...remarks]) expect(words, title).toContain(title);
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(width).toBeLessThanOrEqual(0);
  });
}

test('the command line runs a part of a study at smoke scale and tells by its exit code', async ({
  server,
}) => {
  const { stdout, stderr } = await execute(
    process.execPath,
    [cli, 'study', 'run', 'hecs4mqtt', '--part', 'd', '--scale', 'smoke', '--server', server.address],
    { maxBuffer: 1e8 },
  );
  expect(stdout).toContain('payload capture at the brokers');
  const address = /Beside the published values: (\S+)/.exec(stderr)?.[1] ?? '';
  const run = await server.api<StudyRun>('GET', `/study-runs/${address.split('/').at(-1)}`);
  expect(run).toMatchObject({ status: 'done', studyId: 'hecs4mqtt' });
});
