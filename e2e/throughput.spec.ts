import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { loadVerdictsOf } from '@mqttlab/shared/testing/load-verdicts';
import { Capture } from './fixtures/capture.ts';
import { capturedRate, readStreams, unixLessMonotonicUs } from './fixtures/captured-arrivals.ts';
import { makeQuickDraft, startExperiment, waitUntil, waitUntilDone } from './fixtures/experiments.ts';
import type { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

const isRoot = process.getuid?.() === 0;
/** Tolerance relative to the captured rate. */
const tolerance = 0.01;
const repetitions = 3;

const ways = { security: ['plain', 'TLS 1.3'], cipherSuite: ['TLS_AES_128_GCM_SHA256'] };
/**
 * Messages large enough for the capture to keep up, and enough messages that a single one does not matter. The window
 * fits into the queue of the slow link.
 */
const links = {
  free: { qos: [0, 1, 2], rate: ['max', 2000], readingBytes: [4000] },
  'slow, 10 Mbit/s': { qos: [0, 1], rate: ['max', 400], readingBytes: [500], rateLimit: [10] },
};

function makeDraft(factors: ExperimentDraft['factors'], repetitions = 1): ExperimentDraft {
  const times = { warmUpMs: 400, measureMs: 1500, drainTimeoutMs: 10_000 };
  const workload = { ...makeQuickDraft().workload, ...times, window: 50 };
  return makeQuickDraft({ factors, workload, repetitions });
}

async function runsOf(server: TestServer, ids: readonly { id: number }[]): Promise<RunDetail[]> {
  const runs: RunDetail[] = [];
  for (const { id } of ids) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
  return runs;
}

/** Recorded and captured rates of a run, in messages/s. */
interface Seen {
  run: RunDetail;
  onTheWire: number;
}

const recordedOf = ({ run }: Seen): number => run.metrics['rate.messages'] ?? 0;
const agrees = (seen: Seen): boolean => Math.abs(recordedOf(seen) / seen.onTheWire - 1) <= tolerance;

/** Executes a plan and reads the capture. */
async function look(server: TestServer, capture: Capture, draft: ExperimentDraft): Promise<Seen[]> {
  const offsetUs = unixLessMonotonicUs();
  const done = await waitUntilDone(server, await startExperiment(server, draft));
  const runs = await runsOf(server, done.runs);
  await capture.seeEverything();
  const streams = await readStreams(capture);
  return runs.map((run) => ({ run, onTheWire: capturedRate(run, streams, offsetUs) }));
}

/**
 * Returns the median run of each treatment by recorded over captured rate. One run is not enough: a reader that is
 * descheduled at the end of measuring misses the last ms.
 */
function medianRuns(all: readonly Seen[]): Seen[] {
  const ratio = (seen: Seen) => recordedOf(seen) / seen.onTheWire;
  return Object.values(Object.groupBy(all, ({ run }) => run.treatment.label)).map((runs = []) => {
    const sorted = runs.toSorted((a, b) => ratio(a) - ratio(b));
    return sorted[Math.floor(sorted.length / 2)] as Seen;
  });
}

function expectAgreement(seen: Seen): void {
  const { run, onTheWire } = seen;
  const { label, spec } = run.treatment;
  expect.soft(run.failure, label).toBeNull();
  expect.soft(onTheWire, label).toBeGreaterThan(100);
  expect.soft(agrees(seen), `${label}: ${recordedOf(seen)} recorded, ${onTheWire} on the wire`).toBe(true);
  expect
    .soft(run.metrics['rate.goodput'] ?? 0, label)
    .toBeCloseTo(8 * spec.readingBytes * recordedOf(seen), 0);
  // At full speed over a slow link the backlog grows.
  const growing = spec.readingsPerSecond === null ? ['backlog-steady'] : [];
  const unflagged = ['nothing-lost', ...loadVerdictsOf(run)].filter((id) => !growing.includes(id));
  for (const { id, status, evidence } of run.verdicts) {
    if (unflagged.includes(id)) expect.soft(status, `${label}, ${id}: ${evidence}`).not.toBe('failed');
  }
}

for (const [name, link] of Object.entries(links)) {
  test(`throughput matches the traffic on the wire while measuring: ${name}`, async ({ server }) => {
    test.skip('rateLimit' in link && !isRoot, 'limiting a link requires root');
    // QoS 0, without acknowledgements.
    const filter = 'tcp and (greater 200 or tcp[tcpflags] & tcp-syn != 0)';
    const capture = new Capture({ filter, snapBytes: 96 });
    try {
      await capture.start();
      const all = await look(server, capture, makeDraft({ ...ways, ...link }, repetitions));
      const treatments = 2 * link.qos.length * link.rate.length;
      expect(all).toHaveLength(treatments * repetitions);
      const medians = medianRuns(all);
      expect(medians).toHaveLength(treatments);
      for (const seen of medians) expectAgreement(seen);
    } finally {
      await capture.remove();
    }
  });
}

test('more payload than the link limit is flagged if the limit was removed', async ({ server }) => {
  test.skip(!isRoot, 'limiting a link requires root');
  const draft = makeDraft({
    security: ['plain'],
    qos: [1],
    rate: [200],
    readingBytes: [2000],
    rateLimit: [1],
  });
  const id = await startExperiment(server, draft);
  const { runs } = await waitUntil(server, id, (one) => one.runs.some(({ status }) => status === 'running'));
  const measuredAt = (await runsOf(server, runs))[0]?.measuredAt ?? Date.now();
  await wait(Math.max(0, measuredAt - Date.now()));
  execFileSync('tc', ['qdisc', 'del', 'dev', 'lo', 'root'], {
    env: { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` },
  });
  const [run] = await runsOf(server, (await waitUntilDone(server, id)).runs);
  expect(run?.metrics['rate.goodput']).toBeGreaterThan(2e6);
  expect(run?.verdicts.find((verdict) => verdict.id === 'goodput-within-limit')).toMatchObject({
    status: 'failed',
    evidence: expect.stringMatching(/Mbit\/s of payload from the broker, limit 1\.\d/),
  });
  expect(run?.flagged).toBe(true);
});
