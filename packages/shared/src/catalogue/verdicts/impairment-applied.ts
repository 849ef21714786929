import type { VerdictDefinition } from '../../domain/verdict.ts';

/** Links are used as they are: no factor asks for loss, delay, jitter or rate, so there is nothing to check. */
export const impairmentApplied: VerdictDefinition = {
  id: 'impairment-applied',
  label: 'Impairment really applied',
  judge: ({ spec }) => ({
    status: 'not applicable',
    evidence: `no impairment was asked for on ${spec.link}`,
  }),
};
