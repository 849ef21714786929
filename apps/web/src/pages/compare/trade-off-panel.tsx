import { describeScatter } from '@mqttlab/charts/kinds/scatter';
import { columnsOf } from '@mqttlab/charts/table';
import { titleOf } from '@mqttlab/shared/analysis/phrase';
import type { ReactElement } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { FigurePanel } from '../../charts/panels/figure-panel.tsx';
import { groupMetrics, PickMenu, SearchPick } from '../../ui/input/pick.tsx';
import { EmptyState } from '../../ui/states.tsx';
import styles from './compare.module.css';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { describeNotDrawn } from './not-drawn.ts';
import { type TradeOffChoice, tradeOff } from './trade-off.ts';

type TradeOffPanelProps = {
  model: ComparisonViewModel;
  choice: TradeOffChoice;
  heightPx: number;
  onChange(choice: Partial<TradeOffChoice>): void;
};

/** Scatter plot of two metrics; hidden if there is nothing to compare. */
export function TradeOffPanel({
  model,
  choice,
  heightPx,
  onChange,
}: TradeOffPanelProps): ReactElement | null {
  const found = tradeOff(model, choice);
  if (!found || model.shown.length < 2) return null;
  const { x, y, measured, points, reasons } = found;
  const groups = groupMetrics(measured);
  const missing = describeNotDrawn(reasons);
  return (
    <FigurePanel
      title={`${titleOf(y)} against ${titleOf(x)}`}
      subtitle="95 % intervals; the line is the Pareto front: no other treatment is better in both metrics"
      table={{
        columns: columnsOf(
          'Treatment',
          [titleOf(x), x.unit],
          ['from', x.unit],
          ['to', x.unit],
          [titleOf(y), y.unit],
          ['from', y.unit],
          ['to', y.unit],
          'On the front',
        ),
        rows: points.map((one) => [
          one.treatment.label,
          ...[one.x, one.y].flatMap(({ value, lo, hi }) => [value, lo, hi]),
          one.isFront ? 'yes' : 'no',
        ]),
      }}
      footnote={missing}
    >
      {points.length < 2 ? (
        <EmptyState sentence="No chart: fewer than two treatments have both metrics." />
      ) : (
        <Chart
          describe={describeScatter}
          label={`${y.label} against ${x.label}`}
          xName={titleOf(x)}
          yName={titleOf(y)}
          units={[x.unit, y.unit]}
          points={points}
          scales={[model.scaleOf(x), model.scaleOf(y)]}
          isMoreBetter={x.better === 'higher'}
          heightPx={heightPx}
        />
      )}
      <div className={styles.picks}>
        <SearchPick
          label="Across"
          placeholder="Search metrics"
          value={x.id}
          groups={groups}
          onChange={(id) => onChange({ x: id })}
        />
        <SearchPick
          label="Up"
          placeholder="Search metrics"
          value={y.id}
          groups={groups}
          onChange={(id) => onChange({ y: id })}
        />
        {model.baselineName !== '' && (
          <PickMenu
            label="Front among"
            value={choice.front}
            options={[
              { value: 'all', label: 'all treatments' },
              { value: 'others', label: `all but ${model.baselineName}` },
            ]}
            onChange={(front) => onChange({ front })}
          />
        )}
      </div>
    </FigurePanel>
  );
}
