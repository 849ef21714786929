import { readFileSync } from 'node:fs';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { descendantsOf } from '@mqttlab/shared/testing/processes';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

/** Verdicts that a normal run of any client on any broker passes. */
const unflagged = ['kept-arriving', 'backlog-steady', 'little-lost', 'goodput-within-limit'];

test('mosquitto_pub and mosquitto_sub are compared with the native client on all our brokers', async ({
  server,
}) => {
  const draft = makeQuickDraft({
    factors: {
      client: ['native', 'mosquitto clients'],
      broker: ['mosquitto', 'embedded'],
      security: ['plain', 'TLS 1.3'],
      qos: [1],
      rate: [200],
      mqttVersion: ['3.1.1'],
    },
  });
  const done = await waitUntilDone(server, await startExperiment(server, draft));
  const runs: RunDetail[] = [];
  for (const { id } of done.runs) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
  expect(runs.flatMap(({ failure }) => failure?.message ?? [])).toEqual([]);
  expect(runs).toHaveLength(8);
  for (const run of runs) {
    const { spec, label } = run.treatment;
    expect(run.metrics['count.sent'] ?? 0, label).toBeGreaterThan(100);
    expect(run.metrics['count.lost'], label).toBe(0);
    expect(run.metrics['latency.p50'] ?? 0, label).toBeGreaterThan(0);
    for (const role of ['publisher', 'subscriber']) {
      expect(run.metrics[`cpu.${role}`] ?? 0, `${label}, ${role}`).toBeGreaterThan(0);
      expect(run.metrics[`memory.${role}.mean`] ?? 0, `${label}, ${role}`).toBeGreaterThan(0);
    }
    const failed = ['negotiated-as-asked', 'nothing-lost', 'broker-stayed-up', 'collectors-worked'].filter(
      (id) => run.verdicts.find((verdict) => verdict.id === id)?.status !== 'passed',
    );
    expect(failed, label).toEqual([]);
    // A device with a busy CPU may stall.
    const isBusy = run.verdicts.some(({ id, status }) => id === 'device-idle' && status === 'failed');
    const flaggedFor = run.verdicts.filter(({ id, status }) => unflagged.includes(id) && status === 'failed');
    if (!isBusy) expect(flaggedFor, label).toEqual([]);
    const native = spec.client === 'native';
    // The connect time of a separate program is unknown, not zero. The kernel counts its bytes.
    expect(run.metrics['setUp.total'] === null, label).toBe(!native);
    expect(run.metrics['wire.perMessage'] ?? 0, label).toBeGreaterThan(spec.readingBytes);
    // mosquitto_sub uses a tenth of Node's memory.
    if (!native) expect(run.metrics['memory.subscriber.mean'] ?? 99, label).toBeLessThan(20);
  }
  const names = descendantsOf(server.pid).map((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  expect(names.filter((name) => name.startsWith('mosquitto'))).toEqual([]);
});
