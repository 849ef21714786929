import type { ClientMatrixCell } from '../../catalogue/client-matrix.ts';
import type { FactorValue } from '../../domain/factor.ts';
import type { Treatment } from '../../domain/plans/plan.ts';
import type { Report } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { Quantity as QuantityKind } from '../../domain/runs/verdict.ts';
import type { Interval, Region } from '../../statistics/comparisons/region.ts';

export type Levels = Treatment['levels'];

/** Treatments with one of these levels of each factor, or those that a function chooses. */
export type Select =
  | Readonly<Record<string, FactorValue | readonly FactorValue[]>>
  | ((levels: Levels) => boolean);

/** A response computed from metrics of one run. */
export interface Derived {
  label: string;
  unit: string;
  kind: QuantityKind;
  metrics: readonly string[];
  /** null if the run does not have it. */
  of(values: readonly number[], levels: Levels): number | null;
}

/** Id of a metric, or a response made of several. */
export type Measure = string | Derived;

/** Ratios and differences that a claim allows. `between` is a ratio, or a difference of quantities that may be negative. */
export type Expectation = 'higher' | 'lower' | { atLeast: number } | { between: readonly [number, number] };

/** Treatments compared with others that differ from them only in the factors of the two selections. */
export interface Contrast {
  measures: readonly Measure[];
  of: Select;
  against: Select;
  /** "TLS over plain" */
  who: string;
  expect: Expectation;
  /** Only these treatments. */
  where?: Select;
  /** Factors by which the two sides may differ, besides those of the selections; each side is averaged over them. */
  across?: readonly string[];
  /** One comparison for each level of these factors. */
  each?: readonly string[];
  /** One comparison for each level of this factor among the treatments compared with. */
  eachOther?: string;
  /** Whether every comparison has to show it, as usual, or one is enough. */
  rule?: 'every' | 'some';
}

/** A comparison that the runs of a part allow. */
export interface Line {
  label: string;
  unit: string;
  scale: 'ratio' | 'difference' | 'value';
  value: number;
  runs: number;
  isExact: boolean;
  intervalAt(coverage: number): Interval;
  region: Region;
  /** Those of `regionPValues`, if there is a shorter way to them. */
  pValues?: { inside: number; outside: number };
}

/** A comparison without enough runs. */
export interface MissingLine {
  label: string;
  runs: number;
  missing: string;
}

/** Runs that have what the claim says of every run; deterministic. */
export interface Count {
  label: string;
  right: number;
  of: number;
  /** Figures beside the count: "slowest message 41 ms". */
  detail?: string;
}

/** Why a part cannot answer a claim. */
export interface NotTestable {
  reason: string;
}

/** Everything that the runs of one part say. */
export interface PartEvidence {
  treatments: readonly ComparedTreatment[];
  /** Runs with a failed verdict are included. */
  flagged: boolean;
  /** null until it is made, or if nothing of the part needs it. */
  report: Report | null;
  /** The last client matrix of the testbed; null if there is none. */
  clients?: readonly ClientMatrixCell[] | null;
}

export type Test =
  | { kind: 'contrast'; contrast: Contrast }
  | { kind: 'lines'; of: (evidence: PartEvidence) => readonly (Line | MissingLine)[] | NotTestable }
  | { kind: 'every'; tests: readonly Test[] }
  | { kind: 'some'; tests: readonly Test[] }
  | { kind: 'count'; of: (evidence: PartEvidence) => readonly Count[] | NotTestable | { missing: string } }
  | { kind: 'not testable'; reason: string };

/** One statement of the authors of a study, and how runs judge it. */
export interface Claim {
  id: string;
  /** The part whose runs answer it; intervals are adjusted over the claims of a part. */
  part: string;
  /** Line of the full text, and words at that line. */
  line: number;
  printed: readonly string[];
  /** The statement, in our words. */
  says: string;
  test: Test;
  /** Titles of the figures and tables of the part that show it. */
  see: readonly string[];
  /** Why this testbed or these runs cannot answer it; null if they can. */
  needs?: (evidence: PartEvidence) => string | null;
  /** What the text leaves open, or what the answer depends on. */
  note?: string;
  /** Answered by the client matrix of the testbed instead of the runs of the part. */
  isOfClients?: true;
}

export const contrast = (options: Contrast): Test => ({ kind: 'contrast', contrast: options });
export const every = (...tests: readonly Test[]): Test => ({ kind: 'every', tests });
export const some = (...tests: readonly Test[]): Test => ({ kind: 'some', tests });
export const count = (of: Extract<Test, { kind: 'count' }>['of']): Test => ({ kind: 'count', of });
export const lines = (of: Extract<Test, { kind: 'lines' }>['of']): Test => ({ kind: 'lines', of });
export const notTestable = (reason: string): Test => ({ kind: 'not testable', reason });

/** Between the two values, by ratio; ±5 % is `within(0.05)`. */
export function within(share: number, around = 1): Expectation {
  return { between: [around * (1 - share), around * (1 + share)] };
}
