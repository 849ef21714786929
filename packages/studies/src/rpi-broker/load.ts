import { runValues } from '@mqttlab/shared/analysis/run-values';
import { namerOf } from '@mqttlab/shared/figures/blocks/measured';
import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { tTwoSidedQuantile } from '@mqttlab/shared/statistics/distributions/normal';
import { fitLine, predictCrossing } from '@mqttlab/shared/statistics/estimates/linear-fit';
import type { StudyInput } from '../page/input.ts';
import { usableCores } from '../page/reasons.ts';
import { findPublished, publishedBeside } from '../published.ts';

/** Slope, intercept and saturation of the broker's CPU over subscribers, by configuration; published if it is the same. */
export function saturationTable({ treatments, flagged, facts }: StudyInput): DocumentTable {
  const lines = [...Map.groupBy(treatments, namerOf(treatments, ['security', 'qos', 'rate']))].map(
    ([name, members]) => {
      const points = members.flatMap((one) =>
        runValues(one, { metric: 'cpu.broker', flagged }).map(({ value }) => ({
          x: Number(one.treatment.levels.subscribers),
          y: value,
        })),
      );
      const [first] = members;
      const cores = usableCores(facts, first?.treatment.levels.broker ?? null);
      return {
        name,
        fit: fitLine(
          points.map(({ x }) => x),
          points.map(({ y }) => y),
        ),
        limit: cores === null ? null : cores * 100,
        isPublished:
          first !== undefined &&
          publishedBeside(first.treatment, { study: 'rpi-broker', metric: 'slope' }) !== null,
      };
    },
  );
  const printed = (metric: string) => {
    const [found] = findPublished({ study: 'rpi-broker', metric, treatment: 'TLS QoS 0' });
    return found ? formatNumber(found.value, 5) : NO_VALUE;
  };
  const measured = lines.flatMap(({ name, fit, limit }) => {
    if (!fit) return [];
    const t = tTwoSidedQuantile(0.05, fit.df);
    const around = (value: number, se: number) =>
      intervalText({ value, lo: value - t * se, hi: value + t * se });
    const crossing = limit === null ? null : predictCrossing(fit, limit);
    const at = crossing ? intervalText({ value: crossing.x, lo: crossing.lo, hi: crossing.hi }) : NO_VALUE;
    return [
      [name, around(fit.slope, fit.seSlope), around(fit.intercept, fit.seIntercept), fit.r2, at, limit],
    ];
  });
  const published = lines.some(({ isPublished }) => isPublished)
    ? [['Published: TLS QoS 0', printed('slope'), printed('intercept'), null, printed('saturation'), 400]]
    : [];
  return {
    columns: [
      { head: 'Line' },
      { head: 'Slope', unit: '% per subscriber', isFigures: true },
      { head: 'Intercept', unit: '% of one core', isFigures: true },
      { head: 'R²', format: (value) => formatNumber(value, 2) },
      { head: 'Exhausted at', unit: 'subscribers', isFigures: true },
      { head: 'CPU that the broker can use', unit: '%' },
    ],
    rows: measured.length > 0 ? [...published, ...measured] : [],
  };
}

/** 81.3 % of the board in the study's words: the broker's share of the CPU that it can use, with most subscribers. */
export function shareSentence({ treatments, flagged, facts }: StudyInput): string {
  const tls = treatments.filter(
    ({ treatment: { levels } }) => levels.security !== 'plain' && levels.qos === 0,
  );
  const last = tls.toSorted(
    (a, b) => Number(b.treatment.levels.subscribers) - Number(a.treatment.levels.subscribers),
  )[0];
  const cores = last && usableCores(facts, last.treatment.levels.broker ?? null);
  const values = last ? runValues(last, { metric: 'cpu.broker', flagged }) : [];
  if (!last || !cores || values.length === 0) return '';
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length;
  return `Published: 325.34 % with 100 subscribers is 81.3 % of the board (line 156). Here, TLS at QoS 0 with ${last.treatment.levels.subscribers} subscribers takes ${formatNumber(mean)} %, ${formatNumber(mean / cores)} % of what the broker can use.`;
}
