import { describe, expect, it, vi } from 'vitest';
import { factors, findFactor } from '../catalogue/factors.ts';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorValue } from '../domain/factor.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { workloadKinds } from '../domain/plans/workload.ts';
import { makeDraft, makeTestbed, makeWorkload } from '../testing/factories.ts';
import { fc } from '../testing/properties.ts';
import { countTreatments, expandTreatments } from './expand-treatments.ts';
import { parsePlan } from './parse-plan.ts';

const view = makeTestbedView(makeTestbed());

/** Levels of every factor that the wizard offers. */
const levelsOf = new Map(
  factors.map((factor) => [
    factor.id,
    factor.input.kind === 'number' ? factor.input.presets : factor.options(view).map(({ value }) => value),
  ]),
);

const anyFactors = fc
  .uniqueArray(fc.constantFrom(...factors.map(({ id }) => id)), { minLength: 1, maxLength: 5 })
  .chain((ids) =>
    fc.record(
      Object.fromEntries(
        ids.map((id) => [
          id,
          fc.uniqueArray(fc.constantFrom<FactorValue>(...(levelsOf.get(id) ?? [])), {
            minLength: 1,
            maxLength: 4,
          }),
        ]),
      ),
    ),
  );

describe('countTreatments', () => {
  it('counts what an expansion lists, whatever is varied', () => {
    const kinds = fc.constantFrom(...workloadKinds);
    const property = fc.property(anyFactors, kinds, fc.boolean(), (chosen, kind, leavesOut) => {
      const [first, second] = Object.entries(chosen);
      const leaveOut: ExperimentDraft['leaveOut'] =
        leavesOut && first && second
          ? [{ [first[0]]: first[1].slice(0, 1), [second[0]]: second[1].slice(0, 2) }]
          : [];
      const draft = makeDraft({ factors: chosen, workload: makeWorkload({ kind }), leaveOut });
      const cells = expandTreatments(draft, view);
      expect(countTreatments(draft, view)).toMatchObject({
        combinations: cells.length,
        treatments: cells.filter(({ refusals }) => refusals.length === 0).length,
      });
    });
    fc.assert(property, { numRuns: 300, seed: 20_261_124 });
  });

  it('keeps factors apart that never meet in a decision', () => {
    const partsOf = (chosen: ExperimentDraft['factors']) =>
      countTreatments(makeDraft({ factors: chosen }), view).parts.map(({ length }) => length);
    expect(partsOf({ qos: [0, 1], rate: [10, 20], keepAlive: [10, 20, 30] }).sort()).toEqual([2, 2, 3]);
    // A suite needs TLS: no suite under plain, and the same one under TLS 1.3.
    const suites = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
    expect(partsOf({ security: ['plain', 'TLS 1.3'], cipherSuite: suites, qos: [0, 1] }).sort()).toEqual([
      2, 3,
    ]);
    expect(partsOf({})).toEqual([1]);
  });

  it('looks at as many combinations as independent factors have levels, not at their product', () => {
    const sizes = Array.from({ length: 100 }, (_, index) => index + 1);
    const draft = makeDraft({ factors: { security: ['plain'], readingBytes: sizes, keepAlive: sizes } });
    const refuse = vi.spyOn(findFactor('security')!, 'refuse');
    try {
      expect(countTreatments(draft, view)).toMatchObject({ combinations: 10_000, treatments: 10_000 });
      expect(refuse.mock.calls.length).toBeLessThanOrEqual(200);
      refuse.mockClear();
      // Too many runs: found by counting.
      const parsed = parsePlan({ ...draft, repetitions: 2 }, makeTestbed());
      expect(parsed).toMatchObject({ ok: false, issues: [{ field: 'repetitions' }] });
      expect(refuse.mock.calls.length).toBeLessThanOrEqual(200);
    } finally {
      refuse.mockRestore();
    }
  });
});
