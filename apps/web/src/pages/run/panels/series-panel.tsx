import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatNumber } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo, useState } from 'react';
import { timeSeriesTable } from '../../../charts/datasets/time-series-data.ts';
import { ChartPanel } from '../../../charts/panels/chart-panel.tsx';
import { TimeSeriesChart } from '../../../charts/time-series-chart.tsx';
import { growTop } from '../../../live/fixed-scale.ts';
import { PickMenu } from '../../../ui/input/pick.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { identityOf } from '../../experiment/treatment-identity.ts';
import { measuredEndS } from '../models/measured-end.ts';
import { deviceLines, seriesChoices } from '../models/run-series.ts';
import bar from './chart-bar.module.css';
import styles from './series-panel.module.css';

const title = 'Series per device';

/** One metric over time on every device, on one scale. */
export function SeriesPanel({ run, heightPx }: { run: RunDetail; heightPx: number }): ReactElement {
  const choices = useMemo(() => seriesChoices(run), [run]);
  const [chosen, setChosen] = useState('cpu');
  const choice = choices.find((item) => item.id === chosen) ?? choices[0];
  const lines = useMemo(() => (choice ? deviceLines(run, choice) : []), [run, choice]);
  const treatment = identityOf(run.treatment);
  if (!choice) {
    return (
      <Panel title={title}>
        <EmptyState sentence="No device sent a series of this run." />
      </Panel>
    );
  }
  const { warmUpMs } = run.treatment.spec;
  const endS = measuredEndS(run);
  const to = Math.max(endS, ...lines.map(({ points }) => points.at(-1)?.t ?? 0));
  const highest = Math.max(
    ...lines.flatMap(({ points, band }) => [...points.map(({ v }) => v), ...band.map(({ hi }) => hi)]),
  );
  const { unit } = choice;
  const phases = [
    { from: -warmUpMs / 1000, to: 0, name: '', isShaded: true },
    { from: endS, to, name: '', isShaded: true },
  ];
  const rowPx = Math.floor((heightPx - 22 - lines.length * 20) / lines.length);
  return (
    <ChartPanel
      title={title}
      subtitle={unit}
      footnote="Shaded: warm-up and drain."
      table={timeSeriesTable({
        unit,
        series: lines.map(({ label, points, band }) => ({
          treatment,
          name: label,
          points,
          ...(band.length > 0 ? { band } : {}),
        })),
      })}
    >
      <div className={bar.bar}>
        <PickMenu
          label="Of"
          value={choice.id}
          onChange={setChosen}
          options={choices.map((item) => ({ value: item.id, label: item.label, note: item.unit }))}
        />
      </div>
      <div style={{ height: heightPx }}>
        {lines.map(({ key, label, host, points, band, mean }, i) => (
          <div key={key}>
            <div className={styles.head}>
              <span>
                {label} <span className="mono">{host}</span>
              </span>
              {mean !== null && (
                <span className={styles.mean}>
                  <b>
                    {formatNumber(mean)} {unit}
                  </b>{' '}
                  mean
                </span>
              )}
            </div>
            <TimeSeriesChart
              label={`${choice.label}, ${label}`}
              unit={unit}
              xRange={[-warmUpMs / 1000, to]}
              yRange={[0, growTop(null, highest)]}
              ySteps={2}
              series={[{ treatment, points, ...(band.length > 0 ? { band } : {}) }]}
              phases={phases}
              showsX={i === lines.length - 1}
              heightPx={rowPx + (i === lines.length - 1 ? 22 : 0)}
            />
          </div>
        ))}
      </div>
    </ChartPanel>
  );
}
