import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Page } from '@playwright/test';
import { Capture } from './fixtures/capture.ts';
import { expectOnTheWire } from './fixtures/on-the-wire.ts';
import type { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

const certificates = ['ECDSA P-256', 'RSA 2048'];
/** Runs whose every connection is looked up in the capture. */
const sampled = 24;

/** Suites that broker and clients of the built-in testbed both offer. */
async function findSuites(server: TestServer): Promise<string[]> {
  const { items } = await server.api<{ items: TestbedCapabilities[] }>('GET', '/testbeds');
  const devices = items[0]?.devices ?? [];
  const ends = devices.flatMap(({ role, capabilities }) =>
    capabilities === null
      ? []
      : [role === 'broker' ? capabilities.brokers[0]?.tls.suites : capabilities.tls.suites],
  );
  return (ends[0] ?? []).filter((suite) => ends.every((suites) => suites?.includes(suite)));
}

async function composeAllSuites(page: Page, address: string): Promise<number> {
  page.setDefaultTimeout(30_000);
  await page.goto(address);
  await page.getByRole('button', { name: 'New experiment' }).first().click();
  await expect(page).toHaveURL(/\/experiments\/\d+\/edit\/question$/);
  const id = Number(/experiments\/(\d+)/.exec(page.url())?.[1]);
  await page.getByLabel(/^Name/).fill('Every suite, two certificates');
  await page.goto(`${address}/experiments/${id}/edit/factors`);
  await page.getByRole('switch', { name: 'Show expert factors' }).click();
  await pick(page, /TLS 1\.2/);
  await pick(page, /^Plain/);
  await page.getByRole('button', { name: /^TLS 1\.2: all \d+/ }).click();
  await page.getByRole('button', { name: /^TLS 1\.3: all \d+/ }).click();
  await vary(page, 'Server certificate');
  await pick(page, /^RSA 2048/);
  return id;
}

async function pick(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('checkbox', { name }).or(page.getByRole('button', { name })).first().click();
}

/** Opens the row of a factor that is held constant. */
async function vary(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${label}`) }).click();
  await page.getByRole('button', { name: /^Vary/ }).click();
}

test('every suite that both ends offer runs from the wizard, with two certificates; a capture agrees', async ({
  server,
  page,
}) => {
  test.setTimeout(340_000);
  const suites = (await findSuites(server)).map(describeSuite);
  const inTls13 = suites.filter(({ security }) => security === 'TLS 1.3').length;
  const inTls12 = suites.length - inTls13;
  expect(inTls13).toBeGreaterThanOrEqual(3);
  expect(inTls12).toBeGreaterThanOrEqual(40);

  const id = await composeAllSuites(page, server.address);
  await expect(page.getByText('the suite needs an RSA certificate').first()).toBeVisible();
  await expect(page.getByText('the suite needs an ECDSA certificate').first()).toBeVisible();
  await page.goto(`${server.address}/experiments/${id}/edit/workload`);
  await page.getByRole('textbox', { name: /^Warm-up/ }).fill('0.3');
  await page.getByRole('textbox', { name: /^Measure/ }).fill('0.2');
  // A page that is left while it saves would find its own draft changed elsewhere.
  const saved = () => server.api<ExperimentDetail>('GET', `/experiments/${id}`);
  await expect.poll(async () => (await saved()).draft.workload.measureMs).toBe(200);
  await page.goto(`${server.address}/experiments/${id}/edit/repetitions`);
  await page.getByRole('textbox', { name: 'Repetitions' }).fill('1');
  await expect.poll(async () => (await saved()).draft.repetitions).toBe(1);
  await page.goto(`${server.address}/experiments/${id}/edit/review`);

  const capture = new Capture();
  try {
    await capture.start();
    await page.getByRole('button', { name: /^Start/ }).click();
    await expect(page).toHaveURL(new RegExp(`/experiments/${id}$`));
    // Drawing sixty runs live would only take the processor from them.
    await page.goto('about:blank');
    const { plan } = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
    // A TLS 1.3 suite takes either certificate, an older one just one of them, and neither is of the other version.
    const possible = inTls13 * certificates.length + inTls12;
    expect(plan?.treatments).toHaveLength(possible);
    expect(plan?.excluded).toHaveLength(2 * suites.length * certificates.length - possible);
    for (const { reasons } of plan?.excluded ?? []) {
      expect(reasons.map(({ reason }) => reason).join('; ')).toMatch(
        /needs an (RSA|ECDSA) certificate|cannot negotiate it|its own suites/,
      );
    }

    const read = () => server.api<ExperimentDetail>('GET', `/experiments/${id}`);
    await expect
      .poll(async () => (await read()).status, { timeout: 280_000, intervals: [1000] })
      .toMatch(/done|stopped|cancelled/);
    await capture.stop();
    const done = await read();
    const failed = done.runs.flatMap(({ treatmentKey, failure }) =>
      failure ? [{ treatmentKey, failure }] : [],
    );
    expect(failed).toEqual([]);
    expect(done.progress).toMatchObject({ trials: possible, done: possible, failed: 0 });
    const wrong = done.runs.filter(({ verdicts }) =>
      verdicts.some((verdict) => verdict.id === 'negotiated-as-asked' && verdict.status !== 'passed'),
    );
    expect(wrong).toEqual([]);

    // A machine that is busy may be late once: such a run was carried out again.
    const carriedOut = done.runs.filter(({ status }) => status === 'done');
    const step = Math.max(1, Math.floor(carriedOut.length / sampled));
    const sample = carriedOut.filter((_, index) => index % step === 0);
    const runs = await Promise.all(sample.map((run) => server.api<RunDetail>('GET', `/runs/${run.id}`)));
    expect(runs.length).toBeGreaterThanOrEqual(8);
    await expectOnTheWire(runs, capture);
  } finally {
    await capture.remove();
  }
});
