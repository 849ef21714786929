import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { Progress } from '@mqttlab/shared/messages/agent';
import type { LiveEvent, LiveSnapshot } from '@mqttlab/shared/messages/live';

/** Test factories: complete objects from the fields that a test needs. */
export function makeExperimentSummary(part: Partial<ExperimentSummary> = {}): ExperimentSummary {
  return {
    id: 7,
    name: 'Cipher cost',
    question: '',
    status: 'running',
    tags: [],
    notes: '',
    testbedId: 'built-in',
    varied: ['Security'],
    createdAt: 1000,
    updatedAt: 1000,
    startedAt: 1000,
    startedBy: null,
    finishedAt: null,
    progress: { trials: 6, done: 2, failed: 0, cancelled: 0, flagged: 0, retried: 0, running: 1 },
    timeLeftMs: 20_000,
    headline: null,
    deletedAt: null,
    imported: null,
    ...part,
  };
}

export function makeRunSummary(part: Partial<RunSummary> = {}): RunSummary {
  return {
    id: 3,
    experimentId: 7,
    trialNumber: 3,
    block: 1,
    treatmentKey: 'security=plain',
    attempt: 1,
    retryOf: null,
    status: 'running',
    startedAt: 2000,
    finishedAt: null,
    flagged: false,
    failure: null,
    verdicts: [],
    metrics: {},
    notes: '',
    tags: [],
    exclusion: null,
    ...part,
  };
}

export function makeProgress(part: Partial<Progress> = {}): Progress {
  return {
    role: 'subscriber',
    atMs: 1000,
    messages: 500,
    messagesPerSecond: 500,
    late: 0,
    latencyMs: { p5: 0.1, p50: 0.2, p95: 0.4 },
    cpuPercent: 3,
    deviceCpuPercent: 20,
    residentBytes: 40_000_000,
    wireBytesPerSecond: 150_000,
    ...part,
  };
}

export function makeSnapshotEvent(part: Partial<LiveSnapshot> = {}, id = 0): LiveEvent {
  const data = { active: [], testbeds: [], current: [], storage: null, log: [], ...part };
  return { id, at: 5000, experimentId: null, runId: null, event: 'snapshot', data };
}

type Delta = Exclude<LiveEvent, { event: 'snapshot' }>;
type DeltaPart<E extends Delta = Delta> = E extends Delta
  ? Pick<E, 'event' | 'data'> & { at?: number; runId?: number }
  : never;

/** Any event except a snapshot. Defaults: 5 s server time, experiment 7, run 3. */
export function makeEvent(id: number, part: DeltaPart): LiveEvent {
  return { id, at: 5000, experimentId: 7, runId: 3, ...part };
}
