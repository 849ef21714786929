import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../domain/factor.ts';
import { type Impairment, type ImpairmentDirection, noImpairment } from '../domain/plans/impairment.ts';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';
import { planShaping } from './plan-shaping.ts';

type Quality = Pick<FactorDefinition, 'id' | 'label' | 'help' | 'unit' | 'schema' | 'input' | 'audience'> & {
  presets: readonly FactorValue[];
  /** The level that leaves the link as it is. */
  none: FactorValue;
  levelLabel(value: FactorValue): string;
  shortLabel(value: FactorValue): string;
  /** What one level means, alone. */
  impair(value: FactorValue): Partial<Impairment>;
  /** What the devices must be able to do for any level to mean something. */
  needs?: Partial<Impairment>;
  applies?(levels: Levels): boolean;
  fits?(value: FactorValue, levels: Levels): boolean;
};

/** A factor that makes the link worse in one way; what the devices cannot do is refused with their own reason. */
export function makeImpairmentFactor(quality: Quality): FactorDefinition {
  const { presets, none, impair, needs, applies, ...words } = quality;
  const refuse = (value: FactorValue, levels: Levels, testbed: TestbedView): Refusal | null =>
    value === none ? null : (refuseWay(levels) ?? refuseDevices(impair(value), levels, testbed));
  return {
    ...words,
    group: 'network',
    defaultLevel: () => none,
    options: (testbed) =>
      presets.map((value) => ({
        value,
        refusal: (needs && refuseDevices(needs, {}, testbed)) ?? refuse(value, {}, testbed),
      })),
    applies: (levels) => applies?.(levels) ?? true,
    refuse,
    apply: (spec, value) => ({ ...spec, impairment: { ...spec.impairment, ...impair(value ?? none) } }),
  };
}

function refuseDevices(
  asked: Partial<Impairment>,
  { impairedDirection }: Levels,
  { shapingEnds }: TestbedView,
): Refusal | null {
  const direction = (impairedDirection ?? 'both') as ImpairmentDirection;
  const plan = planShaping({ ...noImpairment, ...asked, direction }, shapingEnds);
  return plan.ok ? null : plan.refusal;
}

function refuseWay({ broker, topology }: Levels): Refusal | null {
  if (broker === 'external') {
    return {
      reason: 'the external broker runs on a device without an agent',
      remedy: 'Choose a broker that is started for the run, or leave the link as it is.',
    };
  }
  if (topology === undefined || topology === null || topology === 'direct') return null;
  return {
    reason: 'a bridge has two links, and which of them is meant cannot be said',
    remedy: 'Choose the direct topology, or leave the link as it is.',
  };
}

/** Whether a combination makes the link worse at all. */
export function impairs({ loss, delay, rateLimit }: Levels): boolean {
  return Number(loss ?? 0) > 0 || Number(delay ?? 0) > 0 || typeof rateLimit === 'number';
}

export interface OptionFactor<Value extends FactorValue> extends FactorDefinition {
  /** The level in a specification; the neutral one where the factor does not apply or there was no such factor yet. */
  of(spec: Pick<TrialSpec, 'options'>): Value;
}

/**
 * A factor that needs no field of its own in the specification: its level stands in `spec.options`, and the one place
 * that uses it asks `factor.of(spec)`. What a broken specification holds there counts as `neutral`.
 */
export function makeOptionFactor<Value extends FactorValue>(
  definition: Omit<FactorDefinition, 'apply' | 'schema'> & {
    schema: FactorDefinition['schema'] & { _zod: { output: Value } };
    /** The level without effect. */
    neutral: Value;
  },
): OptionFactor<Value> {
  const { id, schema, neutral } = definition;
  return {
    ...definition,
    apply: (spec, value) => (value === null ? spec : { ...spec, options: { ...spec.options, [id]: value } }),
    of: ({ options }) => {
      const read = schema.safeParse(options[id]);
      return read.success ? (read.data as Value) : neutral;
    },
  };
}
