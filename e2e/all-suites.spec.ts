import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { PlanCheck } from '@mqttlab/shared/messages/http';
import type { Page } from '@playwright/test';
import { Capture } from './fixtures/capture.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expectOnTheWire } from './fixtures/on-the-wire.ts';
import type { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

const certificates = ['ECDSA P-256', 'RSA 2048'];

/** Suites that both broker and clients of the built-in testbed support. */
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

test('the wizard selects all suites at once and explains which certificates they exclude', async ({
  server,
  page,
}) => {
  const suites = (await findSuites(server)).map(describeSuite);
  const inTls13 = suites.filter(({ security }) => security === 'TLS 1.3').length;
  const inTls12 = suites.length - inTls13;
  expect(inTls13).toBeGreaterThanOrEqual(3);
  expect(inTls12).toBeGreaterThanOrEqual(40);

  const id = await composeAllSuites(page, server.address);
  await expect(page.getByText('the suite needs an RSA certificate').first()).toBeVisible();
  await expect(page.getByText('the suite needs an ECDSA certificate').first()).toBeVisible();
  // A TLS 1.3 suite works with both certificates, an older suite with one, and no suite with both protocols.
  const possible = inTls13 * certificates.length + inTls12;
  const check = async () => {
    const { draft } = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
    return server.api<PlanCheck>('POST', '/plan/check', draft);
  };
  await expect.poll(async () => (await check()).treatments.length).toBe(possible);
  const { excluded } = await check();
  expect(excluded).toHaveLength(2 * suites.length * certificates.length - possible);
  for (const { reasons } of excluded) {
    expect(reasons.map(({ reason }) => reason).join('; ')).toMatch(
      /needs an (RSA|ECDSA) certificate|cannot negotiate it|its own suites/,
    );
  }
});

// apps/server/src/run/matrix.realtime.test.ts runs every suite; here tshark verifies the traffic.
test('a capture agrees with runs of each kind of suite', async ({ server }) => {
  const suites = (await findSuites(server)).map(describeSuite);
  const kinds = Map.groupBy(suites, ({ security, keyExchange, authentication, cipher }) =>
    [security, keyExchange, authentication, /GCM|CCM|ChaCha20|CBC/.exec(cipher)?.[0]].join(),
  );
  expect(kinds.size).toBeGreaterThanOrEqual(12);
  const draft = makeQuickDraft({
    factors: {
      security: ['TLS 1.2', 'TLS 1.3'],
      cipherSuite: [...kinds.values()].flatMap(([first]) => (first ? [first.name] : [])),
      certificate: certificates,
      qos: [1],
      rate: [100],
    },
    retries: 0,
  });
  draft.workload.measureMs = 300;
  const capture = new Capture();
  try {
    await capture.start();
    const done = await waitUntilDone(server, await startExperiment(server, draft));
    await capture.stop();
    expect(done.progress).toMatchObject({ trials: done.runs.length, done: done.runs.length, failed: 0 });
    const runs = await Promise.all(done.runs.map(({ id }) => server.api<RunDetail>('GET', `/runs/${id}`)));
    expect(new Set(runs.map(({ treatment }) => treatment.spec.cipherSuite)).size).toBe(kinds.size);
    await expectOnTheWire(runs, capture);
  } finally {
    await capture.remove();
  }
});
