import type { FactorDefinition, FactorValue } from '../domain/factor.ts';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';

export interface OptionFactor<Value extends FactorValue> extends FactorDefinition {
  /**
   * Returns the level in a specification; returns the neutral level if the factor does not apply or the run
   * predates it.
   */
  of(spec: Pick<TrialSpec, 'options'>): Value;
}

/**
 * Makes a factor that has no dedicated field in the specification. Its level is stored in `spec.options`;
 * read it with `factor.of(spec)`. An invalid stored value counts as `neutral`.
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
