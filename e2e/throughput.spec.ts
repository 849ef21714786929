import type { RunDetail } from '@mqttlab/shared/domain/run';
import { Capture } from './fixtures/capture.ts';
import { capturedArrivals, unixLessMonotonicUs } from './fixtures/captured-arrivals.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

/** Of what the wire says. */
const tolerance = 0.01;

const ways = {
  security: ['plain', 'TLS 1.3'],
  cipherSuite: ['TLS_AES_128_GCM_SHA256'],
  qos: [0, 1, 2],
};
/** Messages so large that a capture keeps up, and so many that one more or less does not matter. */
const links = {
  free: { rate: ['max', 2000], readingBytes: [4000] },
  slow: { rate: ['max', 500], readingBytes: [500], rateLimit: [10] },
};

for (const [name, link] of Object.entries(links)) {
  test(`throughput is what arrived on the wire while measuring: ${name} link`, async ({ server }) => {
    test.skip(name === 'slow' && process.getuid?.() !== 0, 'only root may shape a link');
    // Without acknowledgements.
    const capture = new Capture({ filter: 'tcp and (greater 200 or tcp[tcpflags] & tcp-syn != 0)', snapBytes: 96 });
    const offsetUs = unixLessMonotonicUs();
    try {
      await capture.start();
      const workload = { ...makeQuickDraft().workload, warmUpMs: 500, measureMs: 1500, drainTimeoutMs: 8000 };
      const draft = makeQuickDraft({ factors: { ...ways, ...link }, workload });
      const done = await waitUntilDone(server, await startExperiment(server, draft));
      const runs: RunDetail[] = [];
      for (const { id } of done.runs) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
      await capture.seeEverything();
      await capture.stop();
      expect(runs).toHaveLength(12);
      for (const run of runs) {
        const { messages, seconds } = await capturedArrivals(run, capture, offsetUs);
        console.log(run.treatment.label, run.metrics['rate.messages'], messages / seconds, ((run.metrics['rate.messages'] ?? 0) / (messages / seconds) - 1) * 100, JSON.stringify(run.results.find(r=>r.role==='subscriber')!.throughput), JSON.stringify(run.results.find(r=>r.role==='publisher')!.throughput?.sent), run.metrics['latency.p50']);
      }
    } finally {
      await capture.remove();
    }
  });
}
