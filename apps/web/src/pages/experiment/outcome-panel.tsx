import { Switch } from '@mantine/core';
import { type BarGroup, barTable, describeBars } from '@mqttlab/charts/kinds/bar';
import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import { isLargelyFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { nounOf } from '@mqttlab/shared/analysis/phrase';
import { methodOf, type Result, resultOf } from '@mqttlab/shared/analysis/result';
import { isMeasured } from '@mqttlab/shared/analysis/run-values';
import { isFlaggedFor } from '@mqttlab/shared/catalogue/flags';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { type Comparison, comparedId } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { countingAttempts } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { WideChart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { countRuns, FigureSourceContext } from '../../charts/panels/figure-source.ts';
import { experimentCode } from '../../ui/format.ts';
import { groupMetrics, SearchPick } from '../../ui/input/pick.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { identityOf } from '../../ui/treatment-mark.tsx';
import { barsOfTreatment, hasPreview } from '../compare/bars-panel.tsx';
import { parseCompareState } from '../compare/compare-state.ts';
import { makeComparisonViewModel } from '../compare/comparison-view-model.ts';
import { DistributionPanel } from '../compare/distribution-panel.tsx';
import { PreviewBadge, previewNote } from '../compare/flagged-notice.tsx';
import { describeNotDrawn, whyNotDrawn } from '../compare/not-drawn.ts';
import { whatChanged } from '../experiments/describe-experiment.ts';
import styles from './experiment.module.css';

type OutcomePanelProps = {
  experiment: ExperimentDetail;
  plan: Plan;
  /**
   * Comparison with every metric. Until it is loaded, only metrics of the experiment's runs can be selected.
   */
  comparison: Comparison | undefined;
};

/** The result: the main contrast in a sentence, and the means. */
export function OutcomePanel({ experiment, plan, comparison }: OutcomePanelProps): ReactElement {
  const { id, runs, question } = experiment;
  const [metricId, setMetricId] = useState(plan.response);
  const metric = findMetric(metricId);
  const [takesFlagged, setTakesFlagged] = useState(false);
  const treatments = useMemo(
    () => comparison?.treatments ?? treatmentsOfRuns(id, plan, runs),
    [comparison, id, plan, runs],
  );
  const baselineId = comparison ? comparedId(id, plan.baselineKey) : plan.baselineKey;
  const result = useMemo(
    () => metric && resultOf({ treatments, baselineId, metric, flagged: takesFlagged }),
    [treatments, baselineId, metric, takesFlagged],
  );
  const measured = useMemo(() => metrics.filter(({ id }) => isMeasured({ treatments }, id)), [treatments]);
  if (!metric || !result || measured.length === 0) {
    return (
      <Panel title="Outcome" subtitle={question}>
        <EmptyState sentence="No run finished, so there is no result." />
      </Panel>
    );
  }
  const bars = makeOutcomeBars(result, takesFlagged);
  const isPreview = hasPreview(bars.groups);
  // A treatment that has only flagged runs has a row with their count.
  const reasons = treatments.map((entry) => whyNotDrawn(entry, { metric, flagged: true }));
  const flaggedRuns = result.estimates
    .flatMap(({ treatment }) => treatment.runs)
    .filter((run) => isFlaggedFor(run, metric)).length;
  return (
    <FigureSourceContext
      value={{ experiment: `${experimentCode(id)} ${experiment.name}`, ...countRuns(treatments) }}
    >
      <FigurePanel
        title="Outcome"
        mark={isPreview && <PreviewBadge />}
        subtitle={`${metric.unit}; ${methodOf(metric)}${isPreview ? previewNote : ''}`}
        table={barTable(bars.groups, metric.unit)}
        actions={
          <>
            {flaggedRuns > 0 && (
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
        footnote={`${describeBasis(experiment, bars.runs, takesFlagged ? 0 : flaggedRuns)} ${describeNotDrawn(reasons)}`}
      >
        <div className={styles.words}>
          {question && <p className={styles.question}>{question}</p>}
          {result.lead && bars.runs > 0 && <p className={styles.headline}>{result.lead.sentence}</p>}
        </div>
        {bars.groups.length === 0 ? (
          <EmptyState sentence={`No run has a value for ${nounOf(metric)}. Choose another metric above.`} />
        ) : (
          <WideChart
            describe={describeBars}
            label={`${metric.label} of each treatment, ${metric.unit}`}
            unit={metric.unit}
            groups={bars.groups}
          />
        )}
      </FigurePanel>
    </FigureSourceContext>
  );
}

/** Counts the included runs and lists omitted ones. */
function describeBasis({ progress, runs }: ExperimentDetail, counted: number, flaggedOut: number): string {
  const leftOut = [
    ...(flaggedOut > 0 ? [`${formatCount(flaggedOut)} flagged`] : []),
    ...(progress.failed > 0 ? [`${formatCount(progress.failed)} failed`] : []),
    ...(progress.cancelled > 0 ? [`${formatCount(progress.cancelled)} cancelled`] : []),
  ];
  const total = formatCount(countingAttempts(runs).length);
  const rest = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`;
  const redefined = runs.filter(({ isRedefined }) => isRedefined).length;
  const said =
    redefined === 0
      ? ''
      : ` ${formatCount(redefined)} were recomputed with later definitions: ${whatChanged()}.`;
  return `${formatCount(counted)} of ${total} runs count${rest}. Each run gives one value.${said}`;
}

/** Distribution of the response in each treatment; hidden if no run has a value. */
export function OutcomeDistribution({
  comparison,
  metric,
}: {
  comparison: Comparison;
  metric: string;
}): ReactElement | null {
  const model = useMemo(
    () => makeComparisonViewModel(comparison, { ...parseCompareState(''), metric }),
    [comparison, metric],
  );
  return model && model.usedRuns > 0 ? <DistributionPanel model={model} flagged={false} /> : null;
}

/**
 * Returns a metric over the runs of each treatment, with one bar per colour for each combination of the other
 * factors.
 */
export function makeOutcomeBars({ metric, estimates }: Result, flagged: boolean) {
  const groups = Map.groupBy(estimates, ({ treatment }) => treatment.treatment.rowLabel);
  const treatments = estimates.map(({ treatment }) => treatment);
  const previews = !flagged && isLargelyFlagged(treatments, metric);
  return {
    groups: [...groups].flatMap(([title, own]): BarGroup[] => {
      const bars = own.flatMap((entry) =>
        barsOfTreatment(identityOf(entry.treatment.treatment, true), entry, {
          metric,
          flagged,
          previews,
          factor: 1,
        }),
      );
      return bars.length === 0 ? [] : [{ title, bars }];
    }),
    /** Number of included runs over all treatments. */
    runs: estimates.reduce((sum, { values }) => sum + values.length, 0),
  };
}
