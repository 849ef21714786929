import { MantineProvider } from '@mantine/core';
import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { alteredWords, foreignWords } from '@mqttlab/shared/domain/runs/import-marks';
import { makeReportInput } from '@mqttlab/shared/testing/report-input';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router';
import { describe, expect, it } from 'vitest';
import { makeExperimentSummary } from '../live/testing/live-factories.ts';
import { NameCell } from './experiments/experiment-cells.tsx';
import { ReportView } from './report/report-page.tsx';

// @vitest-environment jsdom
const altered = { values: 2, runs: 1, examples: ['run 3, metric latency.p50: 1 ms instead of 2 ms'] };
const from = 'experiment 4 of mqttlab 0.9';
const unaltered: ExperimentSummary['imported'] = { from, at: 1 };

const textOf = (element: ReactElement): string => {
  const holder = document.createElement('div');
  holder.innerHTML = renderToStaticMarkup(
    <MantineProvider>
      <MemoryRouter>{element}</MemoryRouter>
    </MantineProvider>,
  );
  const titles = [...holder.querySelectorAll('[title]')].map((one) => one.getAttribute('title'));
  return [holder.textContent, ...titles].join('\n');
};

const nameIn = (imported: ExperimentSummary['imported']) =>
  textOf(<NameCell experiment={makeExperimentSummary({ imported })} />);

const reportOf = (imported: ExperimentSummary['imported']) => {
  const input = makeReportInput(() => ({ metrics: { 'latency.p50': 5 } }));
  const report = makeReport({ ...input, experiment: { ...input.experiment, imported } });
  return textOf(<ReportView report={report} />);
};

describe('an import whose figures differ from its evidence', () => {
  it('is marked in the list of experiments, with what differs as its tooltip', () => {
    expect(nameIn({ from, at: 1, altered })).toContain('Altered');
    expect(nameIn({ from, at: 1, altered })).toContain(alteredWords(altered));
  });

  it('is marked on its report page, with what differs', () => {
    expect(reportOf({ from, at: 1, altered })).toContain(alteredWords(altered));
  });
});

it('measurements of another tool are marked in the list and on the report page', () => {
  const foreign = { tool: 'emqtt-bench', source: 'sub.log' };
  expect(nameIn({ from, at: 1, foreign })).toContain('Foreign');
  expect(reportOf({ from, at: 1, foreign })).toContain(foreignWords(foreign));
});

it.each([
  ['other imports', unaltered],
  ['experiments of this server', null],
])('%s are not marked', (_, imported) => {
  expect(nameIn(imported)).not.toMatch(/Altered|Foreign/);
  expect(reportOf(imported)).not.toContain('Altered');
});
