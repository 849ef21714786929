import type { ClientMatrixCell } from '../../catalogue/client-matrix.ts';
import type { FactorValue } from '../../domain/factor.ts';
import type { Treatment } from '../../domain/plans/plan.ts';
import type { Report } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { Quantity as QuantityKind } from '../../domain/runs/verdict.ts';
import type { Interval, Region } from '../../statistics/comparisons/region.ts';

export type Levels = Treatment['levels'];

/** Treatments with one of these levels for each factor, or selected by a function. */
export type Select =
  | Readonly<Record<string, FactorValue | readonly FactorValue[]>>
  | ((levels: Levels) => boolean);

/** A response computed from metrics of one run. */
export interface Derived {
  label: string;
  unit: string;
  kind: QuantityKind;
  metrics: readonly string[];
  /** Returns null if the run lacks a metric. */
  of(values: readonly number[], levels: Levels): number | null;
}

/** A metric id, or a response derived from several metrics. */
export type Measure = string | Derived;

/**
 * Claimed range of a ratio or difference. `between` is a range of ratios, or of differences for quantities
 * that can be negative.
 */
export type Expectation = 'higher' | 'lower' | { atLeast: number } | { between: readonly [number, number] };

/** Compares treatments with others that differ only in the factors of the two selections. */
export interface Contrast {
  measures: readonly Measure[];
  of: Select;
  against: Select;
  /** For example "TLS over plain". */
  who: string;
  expect: Expectation;
  /** Restricts the comparison to these treatments. */
  where?: Select;
  /** Additional factors in which the two sides may differ; each side is averaged over them. */
  across?: readonly string[];
  /** One comparison for each level of these factors. */
  each?: readonly string[];
  /** One comparison for each level of this factor among the treatments compared with. */
  eachOther?: string;
  /** Whether every comparison must support the claim (default), or a single comparison is enough. */
  rule?: 'every' | 'some';
}

/** A comparison with enough runs. */
export interface Line {
  label: string;
  unit: string;
  scale: 'ratio' | 'difference' | 'value';
  value: number;
  runs: number;
  isExact: boolean;
  intervalAt(coverage: number): Interval;
  region: Region;
  /** Replaces `regionPValues` if a more direct computation exists. */
  pValues?: { inside: number; outside: number };
}

/** A comparison without enough runs. */
export interface MissingLine {
  label: string;
  runs: number;
  missing: string;
}

/** Number of runs that satisfy a deterministic claim about every run. */
export interface Count {
  label: string;
  right: number;
  of: number;
  /** Details of the count: "slowest message 41 ms". */
  detail?: string;
}

/** The reason why a part cannot answer a claim. */
export interface NotTestable {
  reason: string;
}

/** The evidence from a part's runs. */
export interface PartEvidence {
  treatments: readonly ComparedTreatment[];
  /** Runs with a failed verdict are included. */
  flagged: boolean;
  /** null until the report has been made, or if the part does not need a report. */
  report: Report | null;
  /** The latest client matrix of the testbed; null if there is none. */
  clients?: readonly ClientMatrixCell[] | null;
}

export type Test =
  | { kind: 'contrast'; contrast: Contrast }
  | { kind: 'lines'; of: (evidence: PartEvidence) => readonly (Line | MissingLine)[] | NotTestable }
  | { kind: 'every'; tests: readonly Test[] }
  | { kind: 'some'; tests: readonly Test[] }
  | { kind: 'count'; of: (evidence: PartEvidence) => readonly Count[] | NotTestable | { missing: string } }
  | { kind: 'not testable'; reason: string };

/** A statement by the authors of a study, and how runs are used to judge it. */
export interface Claim {
  id: string;
  /** The part whose runs judge the claim; intervals are adjusted over all claims in a part. */
  part: string;
  /** Line of the full text, and a quotation from it. */
  line: number;
  printed: readonly string[];
  /** The statement, paraphrased. */
  says: string;
  test: Test;
  /** Titles of the figures and tables of the part with the data. */
  see: readonly string[];
  /** Returns why this testbed or these runs cannot judge the claim; null if they can. */
  needs?: (evidence: PartEvidence) => string | null;
  /** Details that the text leaves open, or on which the result depends. */
  note?: string;
  /** Judged from the testbed's client matrix instead of the part's runs. */
  isOfClients?: true;
}

export const contrast = (options: Contrast): Test => ({ kind: 'contrast', contrast: options });
export const every = (...tests: readonly Test[]): Test => ({ kind: 'every', tests });
export const some = (...tests: readonly Test[]): Test => ({ kind: 'some', tests });
export const count = (of: Extract<Test, { kind: 'count' }>['of']): Test => ({ kind: 'count', of });
export const lines = (of: Extract<Test, { kind: 'lines' }>['of']): Test => ({ kind: 'lines', of });
export const notTestable = (reason: string): Test => ({ kind: 'not testable', reason });

/** Returns a ratio range around 1: `within(0.05)` is ±5 %. */
export function within(share: number, around = 1): Expectation {
  return { between: [around * (1 - share), around * (1 + share)] };
}
