import { describe, expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { fc } from '../testing/properties.ts';
import { alpha, type Contrast } from './contrasts.ts';
import { outcomeWords, resultOf } from './result.ts';

const parsed = parsePlan(makeDraft(), makeTestbed());
if (!parsed.ok) throw new Error('the tour is a plan');
const { treatments } = parsed.plan;

/** Values of the runs of one treatment, and which runs are flagged: from none to eight, alike or far apart. */
const measured = fc
  .record({
    centre: fc.constantFrom(0.5, 1, 1.02, 1.3, 8),
    spread: fc.constantFrom(0, 0.001, 0.05, 0.6),
    noise: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 8 }),
    flags: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  })
  .map(({ centre, spread, noise, flags }) =>
    noise.map((one, i) => ({
      value: Number((centre * Math.exp(spread * one)).toPrecision(6)),
      flagged: flags[i] === true && spread > 0.5,
    })),
  );

function compared(
  values: readonly (readonly { value: number; flagged: boolean }[])[],
  metric: string,
): ComparedTreatment[] {
  return values.map((runs, i) => {
    const treatment = treatments[i];
    if (!treatment) throw new RangeError('there are not so many treatments');
    return {
      id: treatment.key,
      experimentId: 1,
      treatment,
      runs: runs.map(({ value, flagged }, block) => ({
        runId: 10 * i + block,
        block,
        flagged,
        failed: flagged ? ['cpu-idle'] : [],
        metrics: { [metric]: value },
        bases: {},
      })),
      latency: null,
      latencyWithFlagged: null,
    };
  });
}

/** The allowed statement, derived only from interval, Holm p and values. */
function claimOf(
  { scale, value, lo, hi, p, values, method }: Contrast,
  metric: MetricDefinition,
): 'up' | 'down' | null {
  const equal = scale === 'ratio' ? 1 : 0;
  if (value === null || value === equal) return null;
  const direction = value > equal ? 'up' : 'down';
  if (lo !== null && hi !== null) {
    return p !== null && p < alpha && (lo > equal || hi < equal) ? direction : null;
  }
  // Only a metric that the protocol fixes can be exact: nothing varies, by pair or on either side.
  if (metric.resolution !== 'exact') return null;
  if (Math.min(values.treatment.length, values.baseline.length) < 2) return null;
  const effects = values.treatment.map((one, i) => {
    const other = values.baseline[method === 'Welch' ? 0 : i] ?? Number.NaN;
    return scale === 'ratio' ? one / other : one - other;
  });
  const varies = (all: readonly number[]) => Math.max(...all) - Math.min(...all) > 1e-11 * Math.max(...all);
  if (varies(effects) || (method === 'Welch' && varies(values.baseline))) return null;
  return Math.abs((effects[0] ?? equal) - equal) > 1e-11 ? direction : null;
}

const up = /\b(higher|longer|more)\b/;
const down = /\b(lower|shorter|less|fewer)\b/;
const times = /\btimes\b/;
const nothing =
  /no clear difference|No clear difference|[Tt]oo few|the same|same value|not measured|no valid run|has a valid run|not compared/;

describe('a headline read alone', () => {
  const metrics = ['latency.p50', 'setUp.total', 'cpu.broker', 'wire.perMessage'];
  const cases = fc.record({
    metricId: fc.constantFrom(...metrics),
    values: fc.array(measured, { minLength: 2, maxLength: Math.min(6, treatments.length) }),
    takesFlagged: fc.boolean(),
  });

  it('claims a difference, and its direction, only where interval and Holm p have one', () => {
    let claimed = 0;
    fc.assert(
      fc.property(cases, ({ metricId, values, takesFlagged }) => {
        const metric = findMetric(metricId);
        if (!metric) throw new RangeError(`there is no metric ${metricId}`);
        const shown = compared(values, metricId);
        const result = resultOf({
          treatments: shown,
          baselineId: shown[0]?.id ?? '',
          metric,
          flagged: takesFlagged,
        });
        for (const contrast of result.contrasts) {
          const words = outcomeWords(contrast);
          const claim = claimOf(contrast, metric);
          expect([up.test(words), down.test(words)]).toEqual([claim === 'up', claim === 'down']);
        }
        for (const { text, headline, contrasts, kind } of result.findings) {
          expect(headline.length).toBeLessThanOrEqual(Math.max(text.length, 180));
          const claims = contrasts.map((one) => claimOf(one, metric));
          expect(kind === 'resolved', text).toBe(claims.some((claim) => claim !== null));
          if (kind === 'resolved') {
            claimed += 1;
            if (headline !== text) {
              expect([up.test(headline), down.test(headline)], headline).toEqual([
                claims.includes('up'),
                claims.includes('down'),
              ]);
            }
            if (times.test(text)) continue;
            expect([up.test(text), down.test(text)], text).toEqual([
              claims.includes('up'),
              claims.includes('down'),
            ]);
          } else {
            expect(headline).toMatch(nothing);
            expect([up.test(headline), down.test(headline)], headline).toEqual([false, false]);
            expect(text).toMatch(nothing);
            expect(text).not.toMatch(up);
            expect(text).not.toMatch(down);
          }
        }
        const { lead } = result;
        if (lead === null) return;
        // What a run of pages, messages and link previews shows alone: no figure without its doubt.
        if (claimOf(lead.contrast, metric) === null) {
          expect(lead.figure).toMatch(
            /no clear difference|no interval|no valid run|has a valid run|not |same/,
          );
        }
        expect(lead.sentence).toBe(result.findings[0]?.headline);
      }),
      { numRuns: 400, seed: 14 },
    );
    expect(claimed).toBeGreaterThan(50);
  });

  it('takes what differs by rounding alone as the same', () => {
    const metric = findMetric('wire.perMessage');
    if (!metric) throw new RangeError('there is no such metric');
    const sides = [
      [0.3, 0.3],
      [0.1 + 0.2, 0.3],
    ].map((values) => values.map((value) => ({ value, flagged: false })));
    const shown = compared([sides[0] ?? [], [], sides[1] ?? []], metric.id);
    const { findings } = resultOf({
      treatments: shown,
      baselineId: shown[0]?.id ?? '',
      metric,
      flagged: false,
    });
    const said = findings.find(({ contrasts }) => contrasts.some(({ runs }) => runs === 2));
    expect(said?.text).toContain('every run of both treatments gave the same value');
  });
});
