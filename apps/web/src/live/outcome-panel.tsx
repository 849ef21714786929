import { Button, Switch } from '@mantine/core';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import type { Plan } from '@mqttlab/shared/domain/plan';
import { inSentence } from '@mqttlab/shared/format/in-sentence';
import { formatCount } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { BarIntervalChart } from '../charts/bar-interval-chart.tsx';
import { barIntervalTable } from '../charts/bar-interval-data.ts';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { describeHeadline } from '../experiments/describe-experiment.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { groupMetrics } from '../ui/metric-groups.ts';
import { Panel } from '../ui/panel.tsx';
import { SearchPick } from '../ui/search-pick.tsx';
import { makeOutcomeBars } from './outcome-bars.ts';
import styles from './outcome-panel.module.css';

export type OutcomePanelProps = { experiment: ExperimentDetail; plan: Plan };

/** What came out: the main contrast in a sentence, and the means behind it. */
export function OutcomePanel({ experiment, plan }: OutcomePanelProps): ReactElement {
  const { runs, question, headline } = experiment;
  const [metricId, setMetricId] = useState(plan.response);
  const metric = findMetric(metricId);
  const [takesFlagged, setTakesFlagged] = useState(false);
  const bars = useMemo(
    () => makeOutcomeBars(plan, runs, { metric: metricId, takesFlagged }),
    [plan, runs, metricId, takesFlagged],
  );
  const measured = useMemo(
    () => metrics.filter(({ id }) => runs.some((run) => typeof run.metrics[id] === 'number')),
    [runs],
  );
  if (!metric || measured.length === 0) {
    return (
      <Panel title="Outcome" subtitle={question}>
        <EmptyState sentence="No run finished, so there is no result." />
      </Panel>
    );
  }
  return (
    <ChartPanel
      title="Outcome"
      subtitle={`${metric.unit}; mean of runs, 95 % interval`}
      table={barIntervalTable(bars.groups, metric.unit)}
      actions={
        <>
          {experiment.progress.flagged > 0 && (
            <Switch
              label="Flagged runs"
              checked={takesFlagged}
              onChange={(event) => setTakesFlagged(event.currentTarget.checked)}
            />
          )}
          <SearchPick
            label="Metric"
            placeholder="Search metrics"
            value={metricId}
            onChange={setMetricId}
            groups={groupMetrics(measured)}
          />
        </>
      }
      footnote={describeBasis(experiment, bars.runs, takesFlagged)}
    >
      <div className={styles.words}>
        {question && <p className={styles.question}>{question}</p>}
        {headline && (
          <p className={styles.headline}>
            {describeHeadline(headline).contrast}: {inSentence(describeHeadline(headline).metric)}{' '}
            <b className="nowrap">{describeHeadline(headline).figure}</b>
          </p>
        )}
      </div>
      {bars.runs === 0 ? (
        <EmptyState
          sentence="Every finished run is flagged, and flagged runs do not count. Their verdicts say why."
          action={
            <Button variant="default" onClick={() => setTakesFlagged(true)}>
              Take flagged runs in
            </Button>
          }
        />
      ) : (
        <BarIntervalChart
          label={`${metric.label} of each treatment, ${metric.unit}`}
          unit={metric.unit}
          groups={bars.groups}
        />
      )}
    </ChartPanel>
  );
}

/** How many runs the figures rest on, and which were left out. */
function describeBasis({ progress, runs }: ExperimentDetail, counted: number, takesFlagged: boolean): string {
  const leftOut = [
    ...(progress.flagged > 0 && !takesFlagged ? [`${formatCount(progress.flagged)} flagged`] : []),
    ...(progress.failed > 0 ? [`${formatCount(progress.failed)} failed`] : []),
    ...(progress.cancelled > 0 ? [`${formatCount(progress.cancelled)} cancelled`] : []),
  ];
  const total = formatCount(runs.length);
  const rest = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`;
  return `${formatCount(counted)} of ${total} runs count${rest}. Each run gives one value.`;
}
