import { readFileSync } from 'node:fs';
import { stoppingNote } from '@mqttlab/shared/analysis/counting-runs';
import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import { flagRule } from '@mqttlab/shared/catalogue/flags';
import { countingAttemptRule } from '@mqttlab/shared/domain/runs/run';
import { makeNoise, makeReportInput } from '@mqttlab/shared/testing/report-input';
import { expect, it } from 'vitest';
import { printPalette } from '../drawing/palette.ts';
import { columnsOf, type DocumentTable } from '../table.ts';
import { bibtexOf, methodsParagraph, toLatex, toMarkdown } from './for-paper.ts';
import { makeDocument } from './make-document.ts';

const table: DocumentTable = {
  columns: columnsOf('Treatment', ['Latency', 'µs']),
  rows: [
    ['TLS_AES 100 % | A&B', 12.5],
    ['plain', null],
  ],
};

it('writes a LaTeX table with escaped special characters', () => {
  const text = toLatex(table, 'Latency × 2');
  expect(text).toContain('\\begin{tabular}{lr}\n    \\toprule\n    Treatment & Latency, \\textmu{}s \\\\');
  expect(text).toMatch(/TLS\\_AES 100[ ~]\\% \| A\\&B & 12\.50 +\\\\/);
  expect(text).toContain('\\caption{Latency $\\times$ 2}');
  expect(text.match(/\\(?:toprule|midrule|bottomrule)/g)).toHaveLength(3);
});

it('writes a Markdown table with escaped pipes', () => {
  const lines = toMarkdown(table).trim().split('\n');
  expect(lines.slice(0, 2)).toEqual(['| Treatment | Latency, µs |', '| --- | --: |']);
  expect(lines[2]).toMatch(/^\| TLS_AES 100.% \\\| A&B \| 12\.50 \|$/);
  expect(lines).toHaveLength(4);
});

it('describes the methods of a report with its numbers', () => {
  const report = makeReport(
    makeReportInput(() => ({ metrics: { 'latency.p50': 5 } }), { factors: { qos: [0, 1] }, repetitions: 3 }),
  );
  const said = methodsParagraph(report);
  expect(said).toContain('2 treatments ran with 3 repetitions, in random order within each repetition (seed');
  expect(said).toContain('Of 6 trials, 6 runs entered the analysis; 0 runs failed a validity check');
  expect(said).toContain('The factors were QoS (QoS 0, QoS 1).');
});

it('names the test: Welch’s if no repetition pairs the runs', () => {
  const noise = makeNoise(3);
  const methodsOf = (input: ReportInput) => {
    const report = makeReport(input);
    const list = makeDocument(report, printPalette).findLast((block) => block.kind === 'list');
    return [methodsParagraph(report), list?.kind === 'list' ? list.items.join(' ') : ''];
  };
  const paired = makeReportInput(() => ({ metrics: { 'latency.p50': 5 + noise() } }), {
    factors: { qos: [0, 1] },
    repetitions: 4,
  });
  // The two treatments have valid runs in different repetitions.
  const apart = {
    ...paired,
    runs: paired.runs.map((run) => ({
      ...run,
      block: run.block + (run.treatmentKey === paired.plan.baselineKey ? 0 : 100),
    })),
  };
  for (const text of methodsOf(paired)) expect(text).toContain('by the t interval paired by repetition');
  for (const text of methodsOf(apart)) {
    expect(text).toContain('by Welch’s t interval');
    expect(text).not.toContain('paired by repetition');
  }
});

it('takes the rules for flagged runs, attempts and early stopping from their implementation', () => {
  const noise = makeNoise(4);
  const input = makeReportInput(
    (treatment, block) => ({
      metrics: { 'latency.p50': 5 + noise() },
      change: treatment === 0 && block === 1 ? { flagged: true } : {},
    }),
    {
      factors: { qos: [0, 1] },
      repetitions: 6,
      stopping: { metric: 'latency.p50', targetPercent: 5, atLeast: 5 },
    },
  );
  const [first] = input.runs;
  if (!first) throw new Error('there are runs');
  const report = makeReport({ ...input, runs: [...input.runs, { ...first, id: 100, attempt: 2 }] });
  const paragraph = methodsParagraph(report).toLowerCase();
  for (const rule of [flagRule, countingAttemptRule, stoppingNote]) {
    expect(paragraph).toContain(rule.toLowerCase());
  }
  expect(report.validity.sentences.join(' ')).toContain(countingAttemptRule);
});

it('cites the program as in CITATION.cff and package.json', () => {
  const file = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
  const { name, version, license } = JSON.parse(file('package.json'));
  const startedAt = Date.UTC(2026, 5, 1);
  const experiment = { startedAt } as Parameters<typeof bibtexOf>[0]['experiment'];
  const cited = bibtexOf({ software: `${name} ${version}`, experiment });
  const cff = file('CITATION.cff');
  for (const [key, value] of [
    ['version', version],
    ['license', license],
  ] as const) {
    expect(cff).toMatch(new RegExp(`^${key}: ${value}$`, 'm'));
    expect(cited).toContain(`${key} = {${value}}`);
  }
  expect(cited).toContain(`title = {${/^title: "(.*)"$/m.exec(cff)?.[1]}}`);
  expect(cited).toContain('year = {2026}');
});
