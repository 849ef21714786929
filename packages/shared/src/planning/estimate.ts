import { carriesMessages, dutyOf } from '../catalogue/workloads.ts';
import type { Plan, Treatment } from '../domain/plans/plan.ts';
import { payloadBytesOf, type TrialSpec } from '../domain/plans/trial-spec.ts';

export interface Estimate {
  treatments: number;
  repetitions: number;
  runs: number;
  /** Duration of one run, as the mean over treatments. */
  runMs: number;
  durationMs: number;
  /** Expected size in the database. */
  dataBytes: number;
  /** Source of the overhead: earlier runs on this testbed, or the built-in estimate. */
  source: 'observed' | 'guess';
}

/** Default time for everything except warm-up and measure, in ms: prepare, connect, drain, teardown, store. */
const guessedOverheadMs = 1200;
/** Stored bytes per run: rows, histograms, log. */
const bytesPerRun = 24_000;
/** Bytes for one sample of one series, compressed. */
const bytesPerSample = 3;
const seriesPerRun = 18;

/** Parameters of a plan that determine its cost. */
export interface PlanCost extends Pick<Plan, 'repetitions' | 'sampleHz' | 'workload'> {
  treatments: number;
  /** Maximum length of the measure phase in ms; mean over treatments. */
  meanMeasureMs: number;
}

export function costOf({ treatments, repetitions, sampleHz, workload }: Plan): PlanCost {
  const measuredMs = treatments.map(({ spec }) => longestMeasureMs(spec));
  const meanMeasureMs = measuredMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, measuredMs.length);
  return { treatments: treatments.length, repetitions, sampleHz, workload, meanMeasureMs };
}

/**
 * Estimates the number of runs, time and data for a plan. `observedOverheadMs` is the median of earlier runs
 * on this testbed, or null. Workloads that end with their last connection may take less time, because the
 * measure phase is only an upper bound.
 */
export function estimate(plan: Plan, observedOverheadMs: number | null): Estimate {
  return estimateCost(costOf(plan), observedOverheadMs);
}

/** Like `estimate`, without the treatments. */
export function estimateCost(cost: PlanCost, observedOverheadMs: number | null): Estimate {
  const { treatments, repetitions, sampleHz, workload, meanMeasureMs } = cost;
  const overheadMs = observedOverheadMs ?? guessedOverheadMs;
  const loadMs = workload.warmUpMs + meanMeasureMs;
  const runMs = loadMs + overheadMs;
  const runs = treatments * repetitions;
  const samples = (loadMs / 1000) * sampleHz * seriesPerRun;
  return {
    treatments,
    repetitions,
    runs,
    runMs,
    durationMs: runMs * runs,
    dataBytes: Math.round(runs * (bytesPerRun + samples * bytesPerSample)),
    source: observedOverheadMs === null ? 'guess' : 'observed',
  };
}

/**
 * Returns the maximum length of the measure phase, in ms. A counted stream on a schedule ends with its last
 * message.
 */
function longestMeasureMs({ workload, messages, measureMs, ...spec }: TrialSpec): number {
  if (workload !== 'stream' || messages === null || spec.readingsPerSecond === null) return measureMs;
  return Math.min(measureMs, (messages * spec.readingsPerMessage * 1000) / spec.readingsPerSecond);
}

/**
 * Returns the number of messages that one run of a treatment should measure; null for "as fast as possible",
 * 0 if only connections count.
 */
export function expectedMessages(treatment: Pick<Treatment, 'spec'>): number | null {
  const { spec } = treatment;
  const { readingsPerSecond, readingsPerMessage, publishers, measureMs } = spec;
  if (!carriesMessages(spec.workload)) return 0;
  const counted = spec.workload === 'stream' && spec.messages !== null ? spec.messages * publishers : null;
  if (readingsPerSecond === null) return counted;
  const loadedMs = measureMs * dutyOf(spec);
  const timed = Math.floor((readingsPerSecond / readingsPerMessage) * publishers * (loadedMs / 1000));
  return counted === null ? timed : Math.min(counted, timed);
}

/**
 * Returns the payload rate that a treatment offers, in bit/s (during a burst, if it has bursts); null for "as
 * fast as possible".
 */
export function offeredBitsPerSecond(treatment: Pick<Treatment, 'spec'>): number | null {
  const { spec } = treatment;
  if (!carriesMessages(spec.workload)) return 0;
  if (spec.readingsPerSecond === null) return null;
  return (spec.readingsPerSecond / spec.readingsPerMessage) * spec.publishers * payloadBytesOf(spec) * 8;
}
