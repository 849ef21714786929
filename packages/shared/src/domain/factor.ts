import type * as z from 'zod';
import type { TestbedView } from './devices/testbed-view.ts';
import type { TrialSpec } from './plans/trial-spec.ts';
import type { WorkloadKind } from './plans/workload.ts';

/** One value of a Factor, as it stands in plans, tables and addresses. */
export type FactorValue = string | number;

/** One combination of levels by factor id; null where a factor does not apply (no suite without TLS). */
export type Levels = Readonly<Record<string, FactorValue | null>>;

/** Why something cannot be, and what would make it possible. */
export interface Refusal {
  reason: string;
  remedy: string;
}

/** security: the connection. payload: what is inside the message. system: which programs. */
export const factorGroups = ['security', 'payload', 'message', 'load', 'network', 'system'] as const;
export type FactorGroup = (typeof factorGroups)[number];

export interface LevelOption {
  value: FactorValue;
  /** Set where the testbed cannot do it; the page shows the level struck out, with this reason. */
  refusal: Refusal | null;
}

export type FactorInput =
  | { kind: 'choice' }
  | { kind: 'number'; min: number; max: number; integer: boolean; presets: readonly number[] };

/** One file in catalogue/factors: the wizard, planner, tables and axes read it; nothing else knows factor ids. */
export interface FactorDefinition {
  id: string;
  label: string;
  group: FactorGroup;
  /** The wizard shows what is for experts only when asked, or when its level is not the default. */
  audience: 'everyone' | 'expert';
  /** One or two sentences for the wizard. */
  help: string;
  /** Unit of numeric levels, else null. */
  unit: string | null;
  schema: z.ZodType<FactorValue>;
  input: FactorInput;
  /** What the wizard starts with and what a draft that is silent means. */
  defaultLevel(testbed: TestbedView): FactorValue;
  /** Levels worth showing, possible or not. */
  options(testbed: TestbedView): LevelOption[];
  /** A level that is a setting of the testbed gets its name from there. */
  levelLabel(value: FactorValue, testbed?: TestbedView): string;
  shortLabel(value: FactorValue, testbed?: TestbedView): string;
  /** In the name of a Treatment, where the other levels decide how much detail is needed. */
  nameAmong?(value: FactorValue, levels: readonly FactorValue[]): string;
  /** Levels in the order of their colours, where neither schema nor presets say it. */
  usual?: readonly FactorValue[];
  /** Long lists are shown by section: "TLS 1.2"; absent where there are none. */
  section?(value: FactorValue): string;
  /** Why a level belongs into a laboratory only, as a sentence; null where it is sound. */
  caution?(value: FactorValue): string | null;
  /** False where the other levels leave nothing to choose; the level is then null and counted once. */
  applies(levels: Levels, workload: WorkloadKind): boolean;
  /**
   * False where the other levels leave this one without meaning, as a curve for a finite-field suite: it is left out,
   * and the level is null where none of those chosen fits. Absent: all fit.
   */
  fits?(value: FactorValue, levels: Levels): boolean;
  /** Checked on every Treatment in which the factor applies. */
  refuse(value: FactorValue, levels: Levels, testbed: TestbedView): Refusal | null;
  /** As `refuse`, where a level goes with some workloads only; absent: with all. */
  refuseWorkload?(value: FactorValue, workload: WorkloadKind): Refusal | null;
  /** Writes the level into the specification of the Trial; null where it does not apply. */
  apply(spec: TrialSpec, value: FactorValue | null): TrialSpec;
}
