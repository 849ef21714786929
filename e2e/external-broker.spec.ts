import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { makeQuickDraft, startExperiment, waitUntil, waitUntilDone } from './fixtures/experiments.ts';
import type { RabbitMq } from './fixtures/rabbitmq.ts';
import type { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

function settingsOf(rabbit: RabbitMq) {
  return {
    label: 'RabbitMQ 3.10',
    address: '127.0.0.1',
    port: rabbit.port,
    tlsPort: rabbit.tlsPort,
    websocketPort: null,
    mqttVersions: ['3.1.1'],
    authority: rabbit.authority,
    serverName: 'rabbitmq.test',
    username: 'researcher',
    password: 'correct horse',
    process: 'beam.smp',
    unit: null,
  };
}

async function runsOf(server: TestServer, ids: readonly { id: number }[]): Promise<RunDetail[]> {
  return Promise.all(ids.map(({ id }) => server.api<RunDetail>('GET', `/runs/${id}`)));
}

test('RabbitMQ is added on the page, tested, measured with and without TLS, and not changed', async ({
  page,
  server,
  rabbit,
}) => {
  const { pid } = rabbit;
  await page.goto(`${server.address}/devices`);
  await page.getByRole('button', { name: 'Set an external broker' }).click();
  const dialog = page.getByRole('dialog', { name: 'External broker' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('This needs a name.')).toBeVisible();
  await dialog.getByLabel('Name', { exact: true }).fill('RabbitMQ 3.10');
  await dialog.getByLabel('Address').fill('127.0.0.1');
  await dialog.getByLabel('Plain port').fill(String(rabbit.port));
  await dialog.getByLabel('TLS port').fill(String(rabbit.tlsPort));
  await dialog.getByRole('button', { name: '5.0' }).click();
  await dialog.getByLabel('User name').fill('researcher');
  await dialog.getByLabel('Password', { exact: true }).fill('correct horse');
  await dialog.getByLabel('Name in the certificate').fill('rabbitmq.test');
  await dialog.getByLabel('CA certificate').fill(rabbit.authority);
  await dialog.getByRole('radio', { name: 'A process' }).check();
  await dialog.getByLabel('Process', { exact: true }).fill('beam.smp');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('researcher, with password')).toBeVisible();

  await page.getByRole('button', { name: 'Test connection' }).click();
  const tried = page.getByRole('list', { name: 'Connections to RabbitMQ 3.10' });
  await expect(tried.getByText(/Plain/)).toBeVisible();
  await expect(tried.getByText(/TLSv1\.2/)).toBeVisible();
  await expect(tried.getByText(/TLSv1\.3/)).toBeVisible();
  await expect(tried.getByText(/Both clients connected/)).toHaveCount(3);

  const draft = makeQuickDraft({
    factors: {
      broker: ['external'],
      security: ['plain', 'TLS 1.2', 'TLS 1.3'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
      // Under TLS 1.2 Erlang uses the curve of its certificate, regardless of the client's preference.
      group: ['P-256'],
      qos: [0, 1],
      rate: [200],
    },
  });
  const done = await waitUntilDone(server, await startExperiment(server, draft));
  const runs = await runsOf(server, done.runs);
  expect(runs.flatMap(({ failure }) => failure?.message ?? [])).toEqual([]);
  expect(runs).toHaveLength(6);
  for (const run of runs) {
    const { spec, label } = run.treatment;
    expect(run.failure, label).toBeNull();
    const broker = run.results.find(({ role }) => role === 'broker');
    const sent = run.metrics['count.sent'] ?? 0;
    expect(sent, label).toBeGreaterThan(100);
    expect(run.metrics['count.lost'], label).toBe(0);
    expect(run.metrics['cpu.broker'] ?? 0, label).toBeGreaterThan(0);
    // Idle Erlang uses 30 MB.
    expect(run.metrics['memory.broker.mean'] ?? 0, label).toBeGreaterThan(30);
    expect(broker?.environment, label).toMatchObject({
      'broker.kind': 'external',
      'broker.label': 'RabbitMQ 3.10',
      'process.pid': pid,
      'process.pidAtEnd': pid,
    });
    for (const { role, negotiated } of run.results) {
      if (role === 'broker') continue;
      const secure = spec.security !== 'plain';
      expect(negotiated, `${label}, ${role}`).toMatchObject({
        protocol: secure ? spec.security.replace('TLS ', 'TLSv') : null,
        cipherSuite: spec.cipherSuite,
        group: spec.group,
        certificate: secure ? 'ECDSA P-256' : null,
        mqttVersion: '3.1.1',
      });
    }
    for (const id of ['negotiated-as-asked', 'broker-stayed-up']) {
      expect(run.verdicts.find((verdict) => verdict.id === id)?.status, `${label}, ${id}`).toBe('passed');
    }
  }

  expect(rabbit.running).toBe(true);
  expect(rabbit.pid).toBe(pid);
  const testbeds = await server.api<{ items: TestbedStatus[] }>('GET', '/testbeds');
  expect(testbeds.items[0]?.externalBroker).toMatchObject({ username: 'researcher', hasPassword: true });
  expect(JSON.stringify([testbeds, runs])).not.toContain('correct horse');
});

test('a wrong password and a missing broker are reported; a broker restart fails the run', async ({
  server,
  rabbit,
}) => {
  const path = '/testbeds/local/external-broker';
  await server.api('PUT', path, { ...settingsOf(rabbit), password: 'wrong' });
  const quick = makeQuickDraft({
    factors: { broker: ['external'], security: ['plain'], qos: [1], rate: [100] },
  });
  const refused = await waitUntilDone(server, await startExperiment(server, { ...quick, retries: 0 }));
  const [denied] = await runsOf(server, refused.runs);
  expect(denied?.failure?.code).toBe('connack-refused');

  await server.api('PUT', path, settingsOf(rabbit));
  const long = { ...quick, workload: { ...quick.workload, measureMs: 60_000 }, retries: 0 };
  const id = await startExperiment(server, long);
  const isRunning = ({ runs }: { runs: { status: string }[] }) =>
    runs.some(({ status }) => status === 'running');
  await waitUntil(server, id, isRunning);
  await rabbit.stop();
  const ended = await waitUntilDone(server, id);
  const [cut] = await runsOf(server, ended.runs);
  expect(cut?.failure).not.toBeNull();

  const later = await waitUntilDone(server, await startExperiment(server, { ...quick, retries: 0 }));
  const [gone] = await runsOf(server, later.runs);
  expect(gone?.failure).toMatchObject({
    code: 'broker-unreachable',
    message: expect.stringContaining('RabbitMQ 3.10'),
  });
});
