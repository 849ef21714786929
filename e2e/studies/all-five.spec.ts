import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StudyList, StudyRun } from '@mqttlab/shared/messages/studies';
import { openResult, waitUntilOver } from '../fixtures/study-runs.ts';
import { expect, test } from '../fixtures/test.ts';

const execute = promisify(execFile);
const cli = join(import.meta.dirname, '..', '..', 'dist', 'cli.mjs');

/** Titles that a study page must show, with data of the run. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'rpi-broker': [
    'CPU of the broker over subscribers',
    'Bytes to reach a state',
    'Frames, headers and what TLS adds',
    'Time of an exchange by loss and protocol',
    'Payload over median exchange',
    'Attempts to connect, and cost at the broker',
    'What an eavesdropper sees',
  ],
  'cipher-suites': [
    'Best and worst suite',
    'Bandwidth by suite',
    'Message time by suite',
    'Responses of the study by suite',
  ],
  'v2x-tls': [
    'CPU utilisation',
    'Memory footprint',
    'Energy',
    'Wire bytes per reading',
    'Latency and cost per reading',
    'Time by phase',
    'Execution time for 10,000 readings',
    'Goodput',
    'CPU time per message',
  ],
  'stability-aware': [
    'Summary of emitter and receiver',
    'Protection of each configuration',
    'Message latency',
    'Current of the emitter over time',
    'Handshake and steady state of the emitter',
    'Cumulative energy',
    'Relative overhead of the cumulative energy',
    'Effect sizes',
    'Energy and latency',
    'Ranking when only TLS is perturbed',
    'Battery life',
    'Coefficients of variation',
  ],
  hecs4mqtt: [
    'Throughput',
    'Encryption time at the publisher',
    'Cost of the payload ciphers',
    'Approximate entropy of the ciphertext',
    'The study’s evaluation criteria (its table 1)',
    'Layered against TLS only',
    'Tamper log',
    'Heartbeats of the bridge',
    'What an eavesdropper sees',
  ],
};

// The pages show measured figures.
test.use({ rehearsal: 'on' });

for (const [id, titles] of Object.entries(shown)) {
  test(`${id} runs at smoke scale from the gallery, and its page shows the required figures`, async ({
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
    const run = await waitUntilOver(server, number);
    test.info().annotations.push({ type: 'took', description: `${(Date.now() - startedAt) / 1000} s` });
    console.log(`${id}: ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
    expect(run.status).toBe('done');
    for (const { progress } of run.parts.filter(({ experimentId }) => experimentId !== null)) {
      expect(progress?.done).toBe(progress?.trials);
      expect(progress?.failed).toBe(0);
    }
    const words = await openResult(page, server, run);
    const remarks = ['Claims: ', 'Differences from the published study', 'Details not stated in the text'];
    for (const title of [...titles, ...remarks]) expect(words, title).toContain(title);
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(width).toBeLessThanOrEqual(0);
  });
}

test('the command line runs a part of a study at smoke scale and reports the result by exit code', async ({
  server,
}) => {
  const { stdout, stderr } = await execute(
    process.execPath,
    [cli, 'study', 'run', 'hecs4mqtt', '--part', 'd', '--scale', 'smoke', '--server', server.address],
    { maxBuffer: 1e8 },
  );
  expect(stdout).toContain('payload capture at the brokers');
  const address = /Compared with the published values: (\S+)/.exec(stderr)?.[1] ?? '';
  const run = await server.api<StudyRun>('GET', `/study-runs/${address.split('/').at(-1)}`);
  expect(run).toMatchObject({ status: 'done', studyId: 'hecs4mqtt' });
});
