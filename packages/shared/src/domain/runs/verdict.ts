import * as z from 'zod';
import { sentence, word } from '../bounds.ts';
import type { Role } from '../devices/device.ts';
import type { TrialSpec } from '../plans/trial-spec.ts';
import type { RoleResult } from './role-result.ts';

export const verdictStatuses = ['passed', 'failed', 'not applicable'] as const;

/** A check of a run's validity, with its evidence. */
export const verdictSchema = z.strictObject({
  id: word,
  label: word,
  status: z.enum(verdictStatuses),
  /** The measured values, with the limit. */
  evidence: sentence,
});

export type Verdict = z.infer<typeof verdictSchema>;

/** A check defined in one file in catalogue/verdicts. Pure. */
export interface VerdictDefinition {
  id: string;
  label: string;
  /** The fault if the check failed, and the name of the flag. */
  fault: string;
  /** Remedy for runs in which the check failed. */
  remedy: string;
  /** Metrics that a failure affects; if absent, all metrics. */
  matters?(metric: MetricDefinition): boolean;
  judge(evidence: RunEvidence): Pick<Verdict, 'status' | 'evidence'>;
}

/**
 * Outcome of a contrast. `resolved`: its interval excludes equality, and the Holm-adjusted p-value is below
 * the limit. `exact`: nothing varies. `leaning`: the interval excludes equality, but the Holm-adjusted
 * p-value is above the limit. `few`: there are too few runs for an interval.
 */
export const contrastOutcomes = [
  'resolved',
  'exact',
  'same',
  'leaning',
  'open',
  'few',
  'not measured',
  'not comparable',
] as const;

export type ContrastOutcome = (typeof contrastOutcomes)[number];

/** Input of metrics and verdicts: the specification and the reports from all devices. */
export interface RunEvidence {
  spec: TrialSpec;
  results: readonly RoleResult[];
}

export const metricGroups = [
  'latency',
  'set-up',
  'traffic',
  'delivery',
  'payload',
  'cpu',
  'memory',
  'energy',
  'device',
  'generator',
] as const;

/**
 * Kind of a metric, which determines how it is averaged and compared: `positive` on the log scale (ratios),
 * `count` and `proportion` clipped to possible values, `signed` on the linear scale.
 */
export const quantities = ['positive', 'count', 'proportion', 'signed'] as const;
export type Quantity = (typeof quantities)[number];

/**
 * Smallest step between two values that a run can report. `exact`: the value is determined by protocol and
 * settings, so runs without a fault agree to the last digit. Otherwise, the resolution is the largest of
 * three values: a step in the metric's unit, a share of the value, and the share of one unit of a count
 * (`oneOf`: id of that count).
 */
export type MetricResolution = 'exact' | { step?: number; share?: number; oneOf?: string };

/** A metric with its unit, defined in a catalogue file and used in tables, axes and exports. */
export interface MetricDefinition {
  id: string;
  label: string;
  group: (typeof metricGroups)[number];
  unit: string;
  quantity: Quantity;
  /** The better direction; null if neither direction is better. */
  better: 'lower' | 'higher' | null;
  role: Role | null;
  /** Definition in one or two sentences. */
  help: string;
  resolution: MetricResolution;
  /** Source and definition of the value: kernel file, socket, standard. */
  source: string;
  /** Known bias and its size; null if there is none. */
  bias: string | null;
  /** Computes the value for one run in `unit`; null if the evidence lacks the data. Pure. */
  from(evidence: RunEvidence): number | null;
}
