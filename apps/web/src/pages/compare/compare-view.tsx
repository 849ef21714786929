import { noticeOfFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { usualSeries } from '@mqttlab/shared/analysis/run-values';
import type { ComparedSeries, Comparison, WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import { type ReactElement, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { ChartPickContext } from '../../charts/canvas/brush.ts';
import { countRuns, FigureSourceContext } from '../../charts/panels/figure-source.ts';
import { experimentCode } from '../../ui/format.ts';
import { ImportNotice } from '../../ui/import-notice.tsx';
import { PickMenu } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { AnswerPanel, pictureOf } from './answer-panel.tsx';
import { toggled } from './arrangement.ts';
import { BarsPanel, MetricAdder } from './bars-panel.tsx';
import styles from './compare.module.css';
import {
  type CompareState,
  parseCompareState,
  parseRunBrush,
  writeCompareState,
  writeRange,
} from './compare-state.ts';
import { CompareToolbar, KeyRow } from './compare-toolbar.tsx';
import {
  type ComparisonViewModel,
  makeComparisonViewModel,
  withMarks,
  withPanel,
} from './comparison-view-model.ts';
import { DistributionPanel } from './distribution-panel.tsx';
import { EstimatesPanel } from './estimates-panel.tsx';
import { FindingsPanel, isWithoutClaims } from './findings-panel.tsx';
import { FlaggedNotice } from './flagged-notice.tsx';
import { EnvironmentNotice, EnvironmentPanel, ParametersPanel } from './parameters-panel.tsx';
import { brushedRuns, RunsPanel, treatmentsOf } from './runs-panel.tsx';
import { SeriesPanel } from './series-panel.tsx';
import { TradeOffPanel } from './trade-off-panel.tsx';

/** Maximum number of treatments for which the chart is shown before the table. */
const fewTreatments = 8;

type CompareViewProps = {
  comparison: Comparison;
  /** null if no series is available. */
  series: readonly ComparedSeries[] | null;
  /** True for a frozen snapshot, which contains only one series, so that there is no choice. */
  isSeriesFixed?: boolean;
  /** Whether the answer is already shown above. */
  isAnswered?: boolean;
  /** Means within the selected time range. */
  within?: readonly WindowMean[] | undefined;
  /** Experiments whose flagged runs can be repeated here. */
  againIds?: readonly number[];
  state: CompareState;
  onChange(change: Partial<CompareState>): void;
};

/** The comparison, for the compare page and for share links. */
export function CompareView(props: CompareViewProps): ReactElement {
  const {
    comparison,
    series,
    isSeriesFixed = false,
    isAnswered = false,
    within,
    againIds = [],
    state: chosen,
    onChange,
  } = props;
  // Controls update immediately; charts may update later.
  const state = useDeferredValue(chosen);
  // Highlighting only redraws charts, so it is excluded from the key.
  const key = writeCompareState({ ...state, marked: [], brush: null, window: null });
  const parsed = useMemo(() => parseCompareState(key), [key]);
  const all = useMemo(() => makeComparisonViewModel(comparison, parsed), [comparison, parsed]);
  const isUsual = parsed.metric === '' && parsed.baseline === '' && !parsed.flagged;
  const marks = state.marked.join('|');
  const brushKey = state.brush ? `${state.brush.metric}:${writeRange(state.brush.range)}` : '';
  const brush = useMemo(() => parseRunBrush(brushKey), [brushKey]);
  const model = useMemo(() => {
    const runs = all && brushedRuns(all, brush);
    const followed = all && runs ? treatmentsOf(all, runs) : [];
    return all && withMarks(all, [...marks.split('|'), ...followed]);
  }, [all, marks, brush]);
  const isPhone = useIsPhone();
  const [panel, setPanel] = useState<string | null>(null);
  // On phones one panel is shown at a time, because stacked panels would be far apart.
  const seen = useMemo(() => (model && isPhone ? withPanel(model, panel) : model), [model, isPhone, panel]);
  const pick = useLatest((id: string) => onChange({ marked: toggled(chosen.marked, id) }));
  const change = useLatest(onChange);
  const more = state.more.join('|');
  const { x, y, front } = state;
  const isSingle = model === null || model.multiples.length === 1;
  const isFew = model !== null && model.shown.length <= fewTreatments;
  // A selected time range does not redraw the other panels.
  const still = useMemo(() => {
    if (!model || !seen) return null;
    const added = more.split('|').filter(Boolean);
    const addMetric = (metric: string) => change({ more: [...added, metric] });
    return {
      answer: <AnswerPanel comparison={comparison} state={parsed} series={null} />,
      distribution: <DistributionPanel model={seen} flagged={model.flagged} />,
      tradeOff: (
        <TradeOffPanel
          model={model}
          choice={{ x, y, front }}
          heightPx={isFew ? 280 : 360}
          onChange={change}
        />
      ),
      estimates: (
        <EstimatesPanel
          model={seen}
          actions={isSingle && <MetricAdder comparison={comparison} model={seen} onAdd={addMetric} />}
        />
      ),
      bars: !isSingle && (
        <BarsPanel
          comparison={comparison}
          model={seen}
          onAdd={addMetric}
          onRemove={(metric) => change({ more: added.filter((id) => id !== metric) })}
        />
      ),
      runs: (
        <RunsPanel
          model={seen}
          brush={brush}
          onBrush={(next) => change({ brush: next })}
          onKeep={
            isSeriesFixed
              ? undefined
              : (runs) => change({ experiments: '', runs: runs.join(','), brush: null })
          }
        />
      ),
      parameters: (
        <ParametersPanel
          model={model}
          all={state.allParameters}
          onChange={(allParameters) => change({ allParameters })}
        />
      ),
    };
  }, [
    comparison,
    parsed,
    model,
    seen,
    more,
    brush,
    isSeriesFixed,
    state.allParameters,
    change,
    x,
    y,
    front,
    isFew,
    isSingle,
  ]);
  if (!model || !seen || !still || comparison.treatments.every((entry) => entry.runs.length === 0)) {
    return (
      <Panel>
        <EmptyState sentence="No run of these experiments has finished yet. Results appear here as runs finish." />
      </Panel>
    );
  }
  // A frozen series does not depend on the current default.
  const [frozen] = isSeriesFixed && series ? series : [];
  const asked = state.series
    ? { role: state.role, metric: state.series }
    : (frozen ?? usualSeries(comparison));
  const picture = pictureOf(comparison);
  const notice = noticeOfFlagged(model.shown, model.metric, model.flagged);
  const leads = picture?.layout === 'over time' && picture.metric === asked.metric;
  const overTime = series && (
    <SeriesPanel
      model={seen}
      series={series}
      window={
        isSeriesFixed
          ? undefined
          : { range: state.window, within, onDone: (range) => onChange({ window: range }) }
      }
      drawn={asked}
      onChange={isSeriesFixed ? undefined : onChange}
    />
  );
  const source = {
    experiment: comparison.experiments.map(({ id, name }) => `${experimentCode(id)} ${name}`).join(', '),
    ...countRuns(model.shown),
  };
  return (
    <ChartPickContext value={pick}>
      <FigureSourceContext value={source}>
        <CompareToolbar comparison={comparison} model={model} state={chosen} onChange={onChange} />
        <KeyRow comparison={comparison} model={model} state={chosen} onChange={onChange} />
        {comparison.experiments.map((experiment) => (
          <ImportNotice key={experiment.id} marks={experiment} />
        ))}
        {!isWithoutClaims(model) && (
          <FlaggedNotice
            // Counts refer to the displayed treatments, but all flagged runs of the experiments are run
            // again.
            notice={notice && { ...notice, flagged: comparison.flaggedRuns }}
            experimentIds={againIds}
          />
        )}
        <EnvironmentNotice model={model} />
        <FindingsPanel
          comparison={comparison}
          model={model}
          notice={notice}
          experimentIds={againIds}
          isAnswered={isAnswered && isUsual}
          onTakeFlagged={() => onChange({ flagged: true })}
        />
        {isPhone && <PanelSwitch model={model} shown={seen.groups[0]?.title ?? ''} onChange={setPanel} />}
        <div className={styles.grid}>
          {leads && overTime && <div className={styles.full}>{overTime}</div>}
          {!isAnswered && !leads && <div className={styles.full}>{still.answer}</div>}
          {isFew && <div className={styles.wide}>{still.distribution}</div>}
          {isFew && <div>{still.tradeOff}</div>}
          <div className={styles.full}>{still.estimates}</div>
          {still.bars && <div className={styles.full}>{still.bars}</div>}
          {!isFew && <div className={styles.full}>{still.tradeOff}</div>}
          {!isFew && <div className={styles.full}>{still.distribution}</div>}
          {!leads && overTime && <div className={styles.full}>{overTime}</div>}
          <div className={styles.full}>{still.runs}</div>
          <div className={styles.full}>{still.parameters}</div>
          <div className={styles.full}>
            <EnvironmentPanel model={model} />
          </div>
        </div>
      </FigureSourceContext>
    </ChartPickContext>
  );
}

/** Maximum total length of labels that fit next to each other on a phone, in letters. */
const maxLetters = 36;

type PanelSwitchProps = { model: ComparisonViewModel; shown: string; onChange: (title: string) => void };

/** Switch between panels on phones; hidden if there is only one panel. */
function PanelSwitch({ model, shown, onChange }: PanelSwitchProps): ReactElement | null {
  const options = model.groups.map(({ title }) => ({ value: title, label: title }));
  if (options.length < 2) return null;
  const props = { label: 'Panel', value: shown, options, onChange };
  return options.map(({ label }) => label).join('').length > maxLetters ? (
    <PickMenu {...props} />
  ) : (
    <SegmentedSwitch {...props} fullWidth />
  );
}

/** Returns a stable function, so that components that receive it are not rendered again. */
function useLatest<Given>(call: (given: Given) => void): (given: Given) => void {
  const latest = useRef(call);
  latest.current = call;
  return useCallback((given: Given) => latest.current(given), []);
}
