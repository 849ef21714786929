import { describeHistogram, histogramTable } from '@mqttlab/charts/kinds/histogram';
import { describePercentiles } from '@mqttlab/charts/kinds/percentile';
import { type RunDetail, runName } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { Chart } from '../../../charts/chart.tsx';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { PickMenu } from '../../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { identityOf } from '../../../ui/treatment-mark.tsx';
import {
  type Distribution,
  type DistributionView,
  describeClocks,
  distributionsOf,
  leadingDistribution,
  makeDistributionView,
  makeOutline,
  whyNoDistribution,
} from './distributions.ts';
import styles from './panels.module.css';

type DistributionPanelProps = { run: RunDetail; siblings: readonly RunDetail[]; heightPx: number };

/** Distribution over messages, readings or connections, with all quantiles that have enough values. */
export function DistributionPanel({ run, siblings, heightPx }: DistributionPanelProps): ReactElement {
  const all = useMemo(() => distributionsOf(run), [run]);
  const [chosen, setChosen] = useState('');
  const [shape, setShape] = useState<'histogram' | 'percentiles'>('histogram');
  const shown = all.find((one) => one.id === chosen) ?? leadingDistribution(run, all);
  const view = useMemo(() => (shown ? makeDistributionView(shown) : null), [shown]);
  const outline = useMemo(() => outlineOf(shown, siblings), [shown, siblings]);
  if (!shown || !view) {
    return (
      <Panel title="Distribution">
        <EmptyState sentence={whyNoDistribution(run)} />
      </Panel>
    );
  }
  const { unit, noun, quantity, label } = shown;
  const clocks = describeClocks(run, shown.id);
  return (
    <FigurePanel
      title={label}
      subtitle={view.isLongTailed ? `${unit}, log` : unit}
      table={histogramTable({ bins: view.bins, quantiles: view.quantiles, unit, noun })}
      footnote={
        [clocks, view.leftOut].filter(Boolean).join(' ') ||
        (shown.id === 'lateness'
          ? 'Delay between the scheduled and the actual send time of each message.'
          : null)
      }
    >
      <div className={styles.bar}>
        {all.length > 1 && (
          <PickMenu
            label="Of"
            value={shown.id}
            onChange={setChosen}
            options={all.map((one) => ({ value: one.id, label: one.label }))}
          />
        )}
        <SegmentedSwitch
          label="Shape"
          size="sm"
          value={shape}
          onChange={setShape}
          options={[
            { value: 'histogram', label: 'Histogram' },
            { value: 'percentiles', label: 'Percentiles' },
          ]}
        />
        <span className={styles.barNote}>
          {formatCount(view.count)} {noun}
        </span>
      </div>
      {shape === 'histogram' ? (
        <Chart
          describe={describeHistogram}
          label={describe(run, shown, view)}
          unit={unit}
          noun={noun}
          quantity={quantity}
          treatmentIndex={run.treatment.mark}
          bins={view.bins}
          quantiles={view.quantiles.filter((quantile) => quantile.name !== 'P99.9')}
          scale={view.isLongTailed ? 'log' : 'linear'}
          maximum={view.maximum}
          heightPx={heightPx}
          {...(outline.length > 0
            ? { reference: { name: siblingName(siblings.length), bins: outline } }
            : {})}
        />
      ) : (
        <Chart
          describe={describePercentiles}
          label={describe(run, shown, view)}
          unit={unit}
          series={[{ treatment: identityOf(run.treatment), points: view.curve }]}
          heightPx={heightPx}
        />
      )}
    </FigurePanel>
  );
}

function outlineOf(shown: Distribution | undefined, siblings: readonly RunDetail[]) {
  if (!shown) return [];
  const theirs = siblings.flatMap((sibling) =>
    distributionsOf(sibling)
      .filter((one) => one.id === shown.id)
      .map((one) => one.histogram),
  );
  return makeOutline(theirs, { unit: shown.unit, count: shown.histogram.count });
}

function siblingName(count: number): string {
  return count === 1 ? '1 other run' : `${count} other runs`;
}

function describe(run: RunDetail, { label, noun, unit }: Distribution, view: DistributionView): string {
  const quantiles = view.quantiles.map(({ name, value }) => `${name} ${value.toPrecision(3)} ${unit}`);
  return `${label} of ${runName(run)}: ${[`${view.count} ${noun}`, ...quantiles].join(', ')}`;
}
