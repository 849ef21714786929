import { noticeOfFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { usualSeries } from '@mqttlab/shared/analysis/run-values';
import type { ComparedSeries, Comparison, WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import { type ReactElement, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { ChartPickContext } from '../../charts/canvas/brush.ts';
import { countRuns, FigureSourceContext } from '../../charts/panels/figure-source.ts';
import { AlteredNotice } from '../../ui/altered-notice.tsx';
import { experimentCode } from '../../ui/format.ts';
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

/** More are read as rows first. */
const fewTreatments = 8;

type CompareViewProps = {
  comparison: Comparison;
  /** null where there are none to show. */
  series: readonly ComparedSeries[] | null;
  /** A frozen snapshot holds one series only: nothing else can be chosen. */
  isSeriesFixed?: boolean;
  /** What answers the question stands above already. */
  isAnswered?: boolean;
  /** Means inside the stretch of time that is chosen. */
  within?: readonly WindowMean[] | undefined;
  /** Experiments whose flagged runs can be run again from here. */
  againIds?: readonly number[];
  state: CompareState;
  onChange(change: Partial<CompareState>): void;
};

/** The whole comparison; serves the compare page and share links alike. */
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
  // The control that was touched answers at once; the charts follow.
  const state = useDeferredValue(chosen);
  // Following a treatment only redraws; nothing is computed again.
  const key = writeCompareState({ ...state, marked: [], brush: null, window: null });
  const parsed = useMemo(() => parseCompareState(key), [key]);
  const all = useMemo(() => makeComparisonViewModel(comparison, parsed), [comparison, parsed]);
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
  // Panels under each other would be far apart on a phone: there one is shown at a time.
  const seen = useMemo(() => (model && isPhone ? withPanel(model, panel) : model), [model, isPhone, panel]);
  const pick = useLatest((id: string) => onChange({ marked: toggled(chosen.marked, id) }));
  const change = useLatest(onChange);
  const more = state.more.join('|');
  const { x, y, front } = state;
  const isSingle = model === null || model.multiples.length === 1;
  const isFew = model !== null && model.shown.length <= fewTreatments;
  // What a brushed stretch of time does not touch is not drawn again.
  const still = useMemo(() => {
    if (!model || !seen) return null;
    const added = more.split('|').filter(Boolean);
    const addMetric = (metric: string) => change({ more: [...added, metric] });
    return {
      answer: <AnswerPanel comparison={comparison} state={parsed} series={null} />,
      distribution: (
        <DistributionPanel model={seen} flagged={model.flagged} onLog={() => change({ scale: 'log' })} />
      ),
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
        <EmptyState sentence="No run of these experiments has finished yet; the comparison fills as they do." />
      </Panel>
    );
  }
  // A frozen series is what it is, whatever would be chosen today.
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
        {comparison.experiments.map(({ id, altered }) => (
          <AlteredNotice key={id} altered={altered} />
        ))}
        {!isWithoutClaims(model) && (
          <FlaggedNotice
            // Counts are those of the treatments shown; all flagged runs of the experiments are run again.
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

/** Segments as wide as this many letters fit a phone side by side. */
const maxLetters = 36;

type PanelSwitchProps = { model: ComparisonViewModel; shown: string; onChange: (title: string) => void };

/** Which panel a phone shows; nothing where there is one. */
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

/** The same function while the page is open, so that components that receive it are not rendered again. */
function useLatest<Given>(call: (given: Given) => void): (given: Given) => void {
  const latest = useRef(call);
  latest.current = call;
  return useCallback((given: Given) => latest.current(given), []);
}
