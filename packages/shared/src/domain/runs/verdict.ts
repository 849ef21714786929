import * as z from 'zod';
import { sentence, word } from '../bounds.ts';
import type { Role } from '../devices/device.ts';
import type { TrialSpec } from '../plans/trial-spec.ts';
import type { RoleResult } from './role-result.ts';

export const verdictStatuses = ['passed', 'failed', 'not applicable'] as const;

/** A check on the validity of a run, with its evidence. */
export const verdictSchema = z.strictObject({
  id: word,
  label: word,
  status: z.enum(verdictStatuses),
  /** The measured values, with the limit. */
  evidence: sentence,
});

export type Verdict = z.infer<typeof verdictSchema>;

/** Defined in one file in catalogue/verdicts. Pure. */
export interface VerdictDefinition {
  id: string;
  label: string;
  /** The fault if it failed; the name of the flag. */
  fault: string;
  /** Remedy for runs in which it failed. */
  remedy: string;
  /** Metrics that a failure affects; absent: all metrics. */
  matters?(metric: MetricDefinition): boolean;
  judge(evidence: RunEvidence): Pick<Verdict, 'status' | 'evidence'>;
}

/**
 * Outcome of a contrast. `resolved`: its interval excludes equality, also after Holm. `exact`: nothing varies.
 * `leaning`: the interval excludes equality, but not after Holm. `few`: too few runs for an interval.
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

/** Input of metrics and verdicts: the specification and the reports of all devices. */
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
 * Kind of a metric, which decides how it is averaged and compared: `positive` on the log scale (ratios), `count` and
 * `proportion` clipped to possible values, `signed` on the linear scale.
 */
export const quantities = ['positive', 'count', 'proportion', 'signed'] as const;
export type Quantity = (typeof quantities)[number];

/**
 * Smallest step between two values that a run can report. `exact`: determined by protocol and settings, so that runs
 * without a fault agree to the last digit. Otherwise the largest of a step in the unit of the metric, a share of the
 * value, and the share of one unit of a count (`oneOf`: id of that count).
 */
export type MetricResolution = 'exact' | { step?: number; share?: number; oneOf?: string };

/** A metric with its unit, defined in a catalogue file and used by tables, axes and exports. */
export interface MetricDefinition {
  id: string;
  label: string;
  group: (typeof metricGroups)[number];
  unit: string;
  quantity: Quantity;
  /** The better direction; null if neither is better. */
  better: 'lower' | 'higher' | null;
  role: Role | null;
  /** Definition in one or two sentences. */
  help: string;
  resolution: MetricResolution;
  /** Source and definition of the value: kernel file, socket, standard. */
  source: string;
  /** Known bias and its size; null if there is none. */
  bias: string | null;
  /** Computes the value of one run in `unit`; null if the evidence lacks it. Pure. */
  from(evidence: RunEvidence): number | null;
}
