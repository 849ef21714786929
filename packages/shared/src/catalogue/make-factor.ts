import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../domain/factor.ts';
import { type Impairment, type ImpairmentDirection, noImpairment } from '../domain/plans/impairment.ts';
import { planShaping } from './plan-shaping.ts';

type Quality = Pick<FactorDefinition, 'id' | 'label' | 'help' | 'unit' | 'schema' | 'input' | 'audience'> & {
  presets: readonly FactorValue[];
  /** The level without impairment. */
  none: FactorValue;
  levelLabel(value: FactorValue): string;
  shortLabel(value: FactorValue): string;
  /** The impairment of one level. */
  impair(value: FactorValue): Partial<Impairment>;
  /** Impairments that the devices must support for any level to apply. */
  needs?: Partial<Impairment>;
  applies?(levels: Levels): boolean;
  fits?(value: FactorValue, levels: Levels): boolean;
};

/** Makes a factor for one kind of impairment. Levels that the devices do not support are refused with their reason. */
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
      remedy: 'Choose a broker that mqttlab starts for the run, or no impairment.',
    };
  }
  if (topology === undefined || topology === null || topology === 'direct') return null;
  return {
    reason: 'a bridge has two links, so the link to impair is ambiguous',
    remedy: 'Choose the direct topology, or no impairment.',
  };
}

/** True if a combination of levels impairs the link. */
export function impairs({ loss, delay, rateLimit }: Levels): boolean {
  return Number(loss ?? 0) > 0 || Number(delay ?? 0) > 0 || typeof rateLimit === 'number';
}
