import type { Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import { type WorkloadKind, workloadKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { loadVerdictsOf } from '@mqttlab/shared/testing/load-verdicts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

/** What each kind is told beside its name, and the metrics that must come of it. */
const kinds: Readonly<Record<WorkloadKind, { workload: Partial<Workload>; metrics: readonly string[] }>> = {
  stream: { workload: {}, metrics: ['latency.p50', 'readingAge.p50', 'rate.messages'] },
  burst: {
    workload: { burstOnMs: 100, burstOffMs: 50 },
    metrics: ['latency.p50', 'readingAge.p50', 'rate.messages'],
  },
  reconnect: {
    // A median needs 20 connections, which a busy machine does not open in half a second.
    workload: { measureMs: 3_000 },
    metrics: ['latency.mean', 'connection.setUp.p50', 'cpuPerConnection.broker'],
  },
  handshake: {
    // Far longer than it takes: it must end with the last connection.
    workload: { connections: 40, measureMs: 120_000 },
    metrics: ['rate.connections', 'connection.tcp.p50', 'connection.tls.p50', 'cpuPerConnection.publisher'],
  },
  states: {
    workload: { connections: 6, measureMs: 120_000 },
    metrics: ['state.CON.frameBytes', 'state.SUB.bytes', 'state.PUB.bytes', 'state.DISC.bytes'],
  },
  availability: {
    workload: { abusers: 20, measureMs: 1_000 },
    metrics: ['availability.reached', 'availability.connect.p50', 'availability.held'],
  },
};

describe('a testbed with real agents', { timeout: 120_000 }, () => {
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.runtime.whenReady(60_000)).toBe(true);
  }, 90_000);
  afterAll(() => rig.remove(), 60_000);

  it.each(workloadKinds)('carries out the workload %s and judges it', async (kind) => {
    const { workload, metrics } = kinds[kind];
    const times = { warmUpMs: 400, measureMs: 600, drainTimeoutMs: 10_000, window: 100 };
    const { id } = addExperiment(
      life,
      makeTinyDraft({
        workload: makeWorkload({ kind, ...times, ...workload }),
        factors: {
          security: ['TLS 1.3'],
          cipherSuite: ['TLS_AES_128_GCM_SHA256'],
          rate: [50],
          readingBytes: [100],
          qos: [1],
          publishers: [2],
          subscribers: [2],
          sharedSubscription: ['shared'],
        },
        repetitions: 1,
      }),
    );
    await life.runtime.conductor.act(id, 'start');
    await eventually(`experiment ${id} done`, () => life.experiments.find(id)?.status === 'done', 90_000);
    const [run] = life.runs.listOf(id);
    expect(run?.failure).toBeNull();
    for (const metric of metrics) expect(run?.metrics[metric], metric).toBeGreaterThan(0);
    // Whether the device was idle and the schedule was kept is up to the machine of the test.
    const asked = ['negotiated-as-asked', 'nothing-lost', ...loadVerdictsOf(run ?? { verdicts: [] })];
    const judged = run?.verdicts.filter(({ id: name }) => asked.includes(name)) ?? [];
    for (const verdict of judged) expect(verdict.status, verdict.evidence).not.toBe('failed');
    expect(judged).toHaveLength(asked.length);
    const publisher = life.runs.detail(run?.id ?? 0)?.results.find(({ role }) => role === 'publisher');
    expect(publisher?.degraded).toEqual([]);
    if (kind === 'handshake') {
      expect(publisher?.environment['workload.ended']).toBe('all 40 connections were made');
    }
  });
});
