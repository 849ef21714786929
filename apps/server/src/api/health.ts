import { monitorEventLoopDelay } from 'node:perf_hooks';
import express, { type Router } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ProblemError } from '../base/errors.ts';
import { ResultGauges } from './result-gauges.ts';
import type { Services } from './services.ts';

interface Health {
  router: Router;
  stop(): void;
}

interface HealthOptions {
  services: Services;
  /** Returns null if the server is ready, otherwise the missing part. */
  findUnready(): string | null;
}

const reportKinds = ['log', 'phase', 'progress', 'trouble', 'result'];

/** Interval of the timer whose delay is measured. */
const resolutionMs = 10;

/** Serves /livez, /readyz and /version for process monitors, and /metrics for Prometheus. */
export function makeHealth({ services, findUnready }: HealthOptions): Health {
  const router = express.Router();
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const registry = makeRegistry(services, delay);
  const results = new ResultGauges(services.stores, registry);
  const stopSampling = sampleHolds(registry);
  router.get('/livez', (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  router.get('/readyz', (_request, response) => {
    const missing = findUnready();
    if (missing !== null) {
      throw new ProblemError({ status: 503, detail: missing, remedy: 'Try again in a moment.' });
    }
    response.type('text/plain').send('ok\n');
  });
  router.get('/version', (_request, response) => {
    response.set('Cache-Control', 'no-store').json(services.system.version);
  });
  router.get('/metrics', async (request, response) => {
    services.gate.require({ access: 'viewer', key: 'GET /metrics' }, request);
    results.update();
    response.type(registry.contentType).send(await registry.metrics());
  });
  return {
    router,
    stop() {
      delay.disable();
      stopSampling();
    },
  };
}

/** Bounds of the histogram of timer delays, in s. */
const holdBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const sampleEveryMs = 20;

/** Counts timer delays since the server started, including delays between scrapes. */
function sampleHolds(registry: Registry): () => void {
  const histogram = new Histogram({
    name: 'mqttlab_event_loop_delay_seconds',
    help: `Delay of a ${sampleEveryMs} ms timer, which is how long requests and live events wait for other work.`,
    buckets: holdBuckets,
    registers: [registry],
  });
  let due = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    histogram.observe(Math.max(0, now - due) / 1000);
    due = now + sampleEveryMs;
  }, sampleEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

type Delay = ReturnType<typeof monitorEventLoopDelay>;

function makeRegistry(services: Services, delay: Delay): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'mqttlab_runs',
    help: 'Runs by status.',
    labelNames: ['status'],
    registers,
    collect() {
      for (const [status, count] of Object.entries(services.stores.runs.countRunsByStatus()))
        this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'mqttlab_data_bytes',
    help: 'Size of the database.',
    registers,
    collect() {
      this.set(services.stores.storage.usedBytes());
    },
  });
  new Gauge({
    name: 'mqttlab_data_over_budget',
    help: '1 while the database is larger than the configured budget.',
    registers,
    collect() {
      this.set(services.stores.storage.overBudget() === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: 'mqttlab_queue_length',
    help: 'Experiments waiting for their testbed.',
    registers,
    collect() {
      this.set(
        services.stores.experiments.listActiveExperiments().filter(({ status }) => status === 'queued')
          .length,
      );
    },
  });
  new Gauge({
    name: 'mqttlab_agents_connected',
    help: 'Agents that are connected.',
    registers,
    collect() {
      const all = services.devices.testbeds.listTestbeds().flatMap(({ devices }) => devices);
      this.set(all.filter(({ online, standby }) => online && !standby).length);
    },
  });
  new Counter({
    name: 'mqttlab_agent_reports_refused_total',
    help: 'Reports from agents about runs in which they do not participate or do not have that role.',
    labelNames: ['kind'],
    registers,
    collect() {
      const refused = services.devices.agents.countRefusedReports();
      this.reset();
      for (const kind of reportKinds) this.inc({ kind }, refused[kind] ?? 0);
    },
  });
  new Gauge({
    name: 'mqttlab_event_loop_lag_seconds',
    help: 'Timer delay in the server since the last scrape.',
    labelNames: ['share'],
    registers,
    collect() {
      for (const share of [0.5, 0.99, 1]) {
        this.set({ share }, Math.max(0, delay.percentile(share * 100) / 1e9 - resolutionMs / 1000));
      }
      delay.reset();
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the server.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the server, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  return registry;
}
