import type { Series } from '../../../domain/runs/role-result.ts';
import { aggregateSamples } from '../../../statistics/descriptive/summary.ts';
import type { ReportContext } from '../report-input.ts';
import { measuredSamples, type SeriesKind, seriesKinds, seriesOf } from '../series-kinds.ts';

/** Fewer seconds than this say nothing at one sample a second: then the samples of the device are taken as they are. */
const minSeconds = 60;
const secondMs = 1000;

/** What is looked at: a stored series, and what turns its unit into that of the response. */
export interface Variable {
  id: string;
  role: string;
  label: string;
  unit: string;
  kind: SeriesKind;
  scale: number;
}

/** Samples of the measure phase of one Run, evenly spaced. */
export interface RunSamples {
  runId: number;
  block: number;
  samples: number[];
}

export interface Sampling {
  stepMs: number;
  averaged: number;
}

/** Means of whole seconds where a Run is long enough, as published; else what the device sampled. */
export function chooseSampling({ plan }: ReportContext): Sampling {
  const sampledMs = secondMs / plan.sampleHz;
  const isLong = plan.workload.measureMs >= minSeconds * secondMs;
  const averaged = isLong ? plan.sampleHz : 1;
  return { stepMs: sampledMs * averaged, averaged };
}

export function findKind(role: string, metric: string): SeriesKind | undefined {
  return seriesKinds.find((kind) => kind.role === role && kind.metric === metric);
}

/** Of every counting Run of a Treatment; Runs without the series are left out. */
export function sampleRuns(
  context: ReportContext,
  treatmentId: string,
  { variable, averaged }: { variable: Variable; averaged: number },
): RunSamples[] {
  const runs = context.treatments.find(({ id }) => id === treatmentId)?.runs ?? [];
  return runs.flatMap(({ runId, block }) => {
    const raw = measuredSamples(seriesOf(context, runId, variable.kind)).map(
      (value) => value * variable.scale,
    );
    const samples = averaged > 1 ? (aggregateSamples(raw, averaged)?.bins ?? []) : raw;
    return samples.length > 0 ? [{ runId, block, samples }] : [];
  });
}

/** From the first sample on, warm-up included: where a start-up shows. */
export function wholeSeries(context: ReportContext, runId: number, { kind, scale }: Variable): Series | null {
  const [first] = seriesOf(context, runId, kind);
  if (!first) return null;
  const kept = first.values.flatMap((value, index) => (value === null ? [] : [index]));
  return {
    ...first,
    timesMs: kept.map((index) => first.timesMs[index] ?? 0),
    values: kept.map((index) => (first.values[index] ?? 0) * scale),
  };
}
