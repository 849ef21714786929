import * as z from 'zod';
import { sentence, word } from '../bounds.ts';
import type { Role } from '../devices/device.ts';
import type { TrialSpec } from '../plans/trial-spec.ts';
import type { RoleResult } from './role-result.ts';

export const verdictStatuses = ['passed', 'failed', 'not applicable'] as const;

/** A check on the validity of a Run, with its evidence. */
export const verdictSchema = z.strictObject({
  id: word,
  label: word,
  status: z.enum(verdictStatuses),
  /** The figures it was judged by, with the threshold. */
  evidence: sentence,
});

export type Verdict = z.infer<typeof verdictSchema>;

/** One file in catalogue/verdicts. Pure. */
export interface VerdictDefinition {
  id: string;
  label: string;
  /** What went wrong where it failed; the name of the flag. */
  fault: string;
  /** What to do about runs where it failed. */
  remedy: string;
  /** Metrics whose values a failure spoils; absent: all of them. */
  matters?(metric: MetricDefinition): boolean;
  judge(evidence: RunEvidence): Pick<Verdict, 'status' | 'evidence'>;
}

/**
 * What a contrast lets one say. `resolved`: its interval leaves equality out, also after Holm. `exact`: nothing varies.
 * `leaning`: the interval leaves equality out, but not after Holm. `few`: too few runs for an interval.
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

/** What a metric or a verdict may look at: what was asked, and what every device reported. */
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
 * What kind of number a metric is, which decides how it is averaged and compared: `positive` on the log scale (ratios),
 * `count` and `proportion` over runs and never outside what is possible, `signed` as it stands.
 */
export const quantities = ['positive', 'count', 'proportion', 'signed'] as const;
export type Quantity = (typeof quantities)[number];

/**
 * Smallest step between two values that a run can report. `exact`: fixed by the protocol and the settings, so that runs
 * without a fault agree to the last digit. Otherwise the largest of a step in the unit of the metric, a share of the
 * value, and the share that one unit of a count makes (`oneOf`: id of that count).
 */
export type MetricResolution = 'exact' | { step?: number; share?: number; oneOf?: string };

/** A named response with unit. One entry in a catalogue file; tables, axes and exports read it. */
export interface MetricDefinition {
  id: string;
  label: string;
  group: (typeof metricGroups)[number];
  unit: string;
  quantity: Quantity;
  /** Which way is better; null where neither is. */
  better: 'lower' | 'higher' | null;
  role: Role | null;
  /** One sentence: what exactly is counted. */
  help: string;
  resolution: MetricResolution;
  /** Where the number is read and by which definition: the file of the kernel, the socket, the standard. */
  source: string;
  /** What is known to make it too high or too low, and by how much; null where nothing is. */
  bias: string | null;
  /** One number for one Run in `unit`; null where the evidence does not carry it. Pure. */
  from(evidence: RunEvidence): number | null;
}
