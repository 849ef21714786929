import { expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import type { Contrast } from './contrasts.ts';
import { findingsOf } from './findings.ts';
import { whyNothingCompared } from './headline.ts';

const metricOf = (id: string) => {
  const metric = findMetric(id);
  if (!metric) throw new RangeError(`there is no metric ${id}`);
  return metric;
};
const names = {
  colourOf: ({ treatment }: ComparedTreatment) => treatment.colourLabel,
  rowOf: ({ treatment }: ComparedTreatment) => treatment.rowLabel,
};

function treatmentOf(colourLabel: string, rowLabel: string): ComparedTreatment {
  const treatment = { colourLabel, rowLabel, shortLabel: colourLabel };
  return { id: `${colourLabel} ${rowLabel}`, experimentId: 1, treatment, runs: [] } as never;
}

/** A panel's contrast: a ratio with an interval of 1 % on both sides, unless `change` says otherwise. */
function panel(ratio: number, change: Partial<Contrast> = {}, row = `QoS ${ratio}`): Contrast {
  return {
    treatment: treatmentOf('AES-256-GCM', row),
    baseline: treatmentOf('Plain', row),
    scale: 'ratio',
    value: ratio,
    lo: ratio * 0.99,
    hi: ratio * 1.01,
    p: 0.001,
    outcome: 'resolved',
    runs: 5,
    values: { treatment: [ratio, ratio], baseline: [1, 1] },
    method: 'paired',
    flaggedSides: 0,
    bases: [],
    ...change,
  } as Contrast;
}

const open = { outcome: 'open', lo: 0.9, hi: 1.1, p: 0.6 } as const;
const few = { outcome: 'few', lo: null, hi: null, p: null, runs: 1 } as const;
const headline = (contrasts: readonly Contrast[], metric = 'wire.perMessage') =>
  findingsOf(metricOf(metric), contrasts, names)[0]?.headline.replaceAll('\u00a0', ' ');
const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));

it('is the sentence with intervals for one and for two panels', () => {
  for (const panels of [[panel(1.2)], [panel(1.2), panel(1.3)]]) {
    const [finding] = findingsOf(metricOf('wire.perMessage'), panels, names);
    expect(finding?.headline).toBe(finding?.text);
  }
});

it('gives no difference for a panel with too few runs, which the full text does', () => {
  const panels = [panel(3.14, {}, 'QoS 0'), panel(1.925, { ...few, runs: 2 }, 'QoS 1')];
  const [finding] = findingsOf(metricOf('latency.p50'), panels, names);
  expect(finding?.headline.replaceAll('\u00a0', ' ')).toBe(
    'AES-256-GCM has a higher median latency than Plain in 1 of 2 panels, by 214 %; too few valid runs at QoS 1.',
  );
  expect(finding?.text).toContain('and they differ by');
});

it('states direction, range and count over all panels', () => {
  const six = spread(6, 1.003, 1.648).map((ratio) => panel(ratio));
  expect(headline(six)).toBe(
    'AES-256-GCM has more wire bytes per message than Plain in all 6 panels, by 0.3 to 65 %.',
  );
  const latency = spread(48, 0.5, 0.9).map((ratio) => panel(ratio));
  expect(headline(latency, 'latency.p50')).toBe(
    'AES-256-GCM has a lower median latency than Plain in all 48 panels, by 10 to 50 %.',
  );
});

it('gives a value that is the same everywhere without a range, and large ratios as factors', () => {
  const exact = { outcome: 'exact', lo: null, hi: null, p: null } as const;
  expect(headline(Array.from({ length: 12 }, (_, i) => panel(1.346, exact, `panel ${i}`)))).toMatch(
    /in all 12 panels, by 34\.6 %\.$/,
  );
  expect(headline([panel(2), panel(5.21), panel(3)], 'latency.p50')).toMatch(
    /has a higher median latency than Plain in all 3 panels, by a factor of 2 to 5\.3\.$/,
  );
});

it('gives all ratios of a metric in one form, also those of other treatments and lower ones', () => {
  const colour = (name: string, ratio: number) => panel(ratio, { treatment: treatmentOf(name, 'QoS 0') });
  const sentences = findingsOf(
    metricOf('latency.p50'),
    [colour('AES-256-GCM', 5.2), colour('ChaCha20', 1.2)],
    names,
  );
  expect(sentences.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
    expect.stringContaining('has 5.20 times'),
    expect.stringContaining('has 1.200 times'),
  ]);
  const three = (name: string, ratio: number) =>
    ['a', 'b', 'c'].map((row) => panel(ratio, { treatment: treatmentOf(name, row) }, row));
  const headlines = findingsOf(
    metricOf('latency.p50'),
    [...three('AES-256-GCM', 5.2), ...three('ChaCha20', 0.5)],
    names,
  ).map((finding) => finding.headline);
  expect(headlines[0]).toMatch(/AES-256-GCM has a higher .+ by a factor of 5\.2\.$/);
  expect(headlines[1]).toMatch(/ChaCha20 has a lower .+ by a factor of 2\.$/);
});

it('names up to two exceptions if four lines of a phone hold them, otherwise counts them', () => {
  const higher = spread(10, 1.1, 1.5).map((ratio) => panel(ratio));
  expect(headline([...higher, panel(1, open, 'QoS 1'), panel(1, few, 'QoS 2')], 'latency.p50')).toBe(
    'AES-256-GCM has a higher median latency than Plain in 10 of 12 panels, by 10 to 50 %; ' +
      'no clear difference at QoS 1; too few valid runs at QoS 2.',
  );
  expect(headline([...higher, panel(1, open, 'QoS 1 · batch 64'), panel(1, few, 'QoS 2 · batch 64')])).toBe(
    'AES-256-GCM has more wire bytes per message than Plain in 10 of 12 panels, by 10 to 50 %; ' +
      'no clear difference in 1; too few valid runs in 1.',
  );
  const unclear = Array.from({ length: 5 }, (_, i) => panel(1, open, `batch ${i}`));
  expect(headline([...higher, ...unclear])).toMatch(/in 10 of 15 panels, .*; no clear difference in 5\.$/);
});

it('leads with the more frequent direction and gives the other one with its own range', () => {
  const mixed = [panel(1.2), panel(1.3), panel(1.4), panel(0.8), panel(0.75), panel(1, open, 'batch 1')];
  expect(headline(mixed, 'cpu.broker')).toMatch(
    /^AES-256-GCM uses more CPU at the broker than Plain in 3 of 6 panels, by 20 to 40 %; less in 2, by 20 to 25 %; no clear difference at batch 1\.$/,
  );
});

it('claims nothing without a resolved contrast', () => {
  const unclear = Array.from({ length: 8 }, (_, i) => panel(1.3, open, `batch ${i}`));
  const missing = Array.from({ length: 4 }, (_, i) => panel(1.3, few, `size ${i}`));
  expect(headline(unclear, 'latency.p50')).toBe(
    'No clear difference in median latency between AES-256-GCM and Plain in any of 8 panels.',
  );
  expect(headline([...unclear, ...missing], 'latency.p50')).toBe(
    'No clear difference in median latency between AES-256-GCM and Plain in 8 of 12 panels; too few valid runs in 4.',
  );
  expect(headline(missing, 'latency.p50')).toBe(
    'Too few valid runs to compare AES-256-GCM with Plain in median latency in any of 4 panels.',
  );
  const same = missing.map((one) => ({ ...one, outcome: 'same' as const, value: 1 }));
  expect(headline(same)).toBe(
    'AES-256-GCM and Plain have the same wire bytes per message in every run in all 4 panels.',
  );
});

it('stays within four lines of a phone at 48 panels with long names and exceptions of every kind', () => {
  const rows = Array.from({ length: 48 }, (_, i) => `TLS 1.3 · ChaCha20 payload · QoS 2 · batch ${i}`);
  const contrasts = rows.map((row, i) =>
    panel(i % 3 === 0 ? 1.2 : 0.7, i % 5 === 0 ? open : i % 7 === 0 ? few : {}, row),
  );
  expect(headline(contrasts, 'latency.p50')?.length).toBeLessThanOrEqual(150);
});

it('leaves the smaller range out rather than fill more than four lines of a phone', () => {
  const kinds = [{}, {}, {}, open, few];
  const contrasts = Array.from({ length: 50 }, (_, i) =>
    panel(i % 2 === 0 ? 1.25 : 0.75, kinds[i % 5] ?? {}, `batch ${i}`),
  );
  expect(headline(contrasts, 'cpu.broker')).toBe(
    'AES-256-GCM uses more CPU at the broker than Plain in 15 of 50 panels, by 25 %; less in 15; no clear difference in 10; too few valid runs in 10.',
  );
});

it('says why nothing is compared, by counts or by the plan, and nothing as soon as one contrast has an interval', () => {
  const metric = metricOf('latency.p50');
  const tooFew = { contrasts: [panel(1.3, few), panel(1.2, { ...few, runs: 2 })], allRuns: 48 };
  expect(whyNothingCompared(metric, { ...tooFew, usedRuns: 2, flaggedOut: 46 })).toBe(
    'Too few valid runs for a comparison: 2 of 48 runs are valid for median latency; a comparison needs 3 on each side.',
  );
  expect(whyNothingCompared(metric, { ...tooFew, usedRuns: 8, allRuns: 8, flaggedOut: 0 })).toBe(
    'Each treatment has at most 2 runs with median latency; a comparison needs 3 on each side. Clone the experiment with more repetitions.',
  );
  const compared = { ...tooFew, contrasts: [panel(1.3, few), panel(1.2)], usedRuns: 8, flaggedOut: 40 };
  expect(whyNothingCompared(metric, compared)).toBeNull();
  expect(whyNothingCompared(metric, { ...compared, contrasts: [] })).toBeNull();
  // Their runs are enough; the findings say why they are not compared.
  const apart = panel(1.3, { outcome: 'not comparable', value: null, lo: null, hi: null, p: null });
  expect(whyNothingCompared(metric, { ...compared, contrasts: [apart] })).toBeNull();
});

it('leaves out what two long names have in common, and counts exceptions', () => {
  const contrasts = [panel(1.69), panel(3.05), panel(0.17), panel(1.1, open), panel(1.2, few)];
  const long = {
    ...names,
    colourOf: ({ treatment }: ComparedTreatment) =>
      treatment.colourLabel === 'Plain'
        ? 'TLS 1.2 · AES-256-GCM · X25519 · ECDSA P-256'
        : 'TLS 1.3 · AES-256-GCM · P-256 · RSA 2048',
  };
  const [finding] = findingsOf(metricOf('latency.p50'), contrasts, long);
  expect(finding?.headline.replaceAll('\u00a0', ' ')).toBe(
    'TLS 1.3 · P-256 · RSA 2048 has a higher median latency than TLS 1.2 · X25519 · ECDSA P-256 in 2 of 5 panels, by 69 to 205 %; lower in 1; unclear in 2.',
  );
});
