import type { FactorDefinition, FactorValue } from '../domain/factor.ts';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';

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
