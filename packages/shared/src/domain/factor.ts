import type * as z from 'zod';
import type { TestbedView } from './devices/testbed-view.ts';
import type { TrialSpec } from './plans/trial-spec.ts';
import type { WorkloadKind } from './plans/workload.ts';

/** One value of a factor, as stored in plans, tables and URLs. */
export type FactorValue = string | number;

/** One combination of levels by factor id; null if a factor does not apply, such as the suite without TLS. */
export type Levels = Readonly<Record<string, FactorValue | null>>;

/** Why something is not possible, and how to make it possible. */
export interface Refusal {
  reason: string;
  remedy: string;
}

/** security: the connection. payload: the message contents. system: the programs. */
export const factorGroups = ['security', 'payload', 'message', 'load', 'network', 'system'] as const;
export type FactorGroup = (typeof factorGroups)[number];

export interface LevelOption {
  value: FactorValue;
  /** Set if the testbed does not support the level; the page shows it struck out with this reason. */
  refusal: Refusal | null;
}

export type FactorInput =
  | { kind: 'choice' }
  | { kind: 'number'; min: number; max: number; integer: boolean; presets: readonly number[] };

/**
 * A factor is defined in one file in catalogue/factors and used by wizard, planner, tables and axes; no other
 * code uses factor ids.
 */
export interface FactorDefinition {
  id: string;
  label: string;
  group: FactorGroup;
  /** The wizard shows expert factors only on request, or if their level is not the default. */
  audience: 'everyone' | 'expert';
  /** One or two sentences for the wizard. */
  help: string;
  /** Unit of numeric levels; null for other levels. */
  unit: string | null;
  schema: z.ZodType<FactorValue>;
  input: FactorInput;
  /** Initial level in the wizard, and the level of drafts that omit the factor. */
  defaultLevel(testbed: TestbedView): FactorValue;
  /** Suggested levels, possible or not. */
  options(testbed: TestbedView): LevelOption[];
  /** Name of a level; levels from testbed settings use the name configured there. */
  levelLabel(value: FactorValue, testbed?: TestbedView): string;
  shortLabel(value: FactorValue, testbed?: TestbedView): string;
  /** Name of the level in a treatment label; the other levels determine how much detail is required. */
  nameAmong?(value: FactorValue, levels: readonly FactorValue[]): string;
  /** Levels in the order of their colours, if neither the schema nor the presets define this order. */
  usual?: readonly FactorValue[];
  /** Section of a level in long lists, for example "TLS 1.2"; absent without sections. */
  section?(value: FactorValue): string;
  /** Reason why a level is unsuitable for production, as a sentence; null if there is none. */
  caution?(value: FactorValue): string | null;
  /** False if the factor does not apply with the other levels; its level is then null and counts once. */
  applies(levels: Levels, workload: WorkloadKind): boolean;
  /**
   * False if this level is meaningless with the other levels, such as a curve for a finite-field suite. The
   * level is then skipped; if no chosen level fits, the level is null. If absent, all levels fit.
   */
  fits?(value: FactorValue, levels: Levels): boolean;
  /** Returns why a level is impossible; checked for every treatment to which the factor applies. */
  refuse(value: FactorValue, levels: Levels, testbed: TestbedView): Refusal | null;
  /** Like `refuse`, for levels that only some workloads support; if absent, all workloads support them. */
  refuseWorkload?(value: FactorValue, workload: WorkloadKind): Refusal | null;
  /** Writes the level into the specification of the trial; null if the factor does not apply. */
  apply(spec: TrialSpec, value: FactorValue | null): TrialSpec;
}
