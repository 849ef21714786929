import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { timeSeriesTable } from '../../charts/datasets/time-series-data.ts';
import { ChartPanel } from '../../charts/panels/chart-panel.tsx';
import { ProgressGrid } from '../../charts/progress-grid.tsx';
import { Sparkline, TreatmentSparkline } from '../../charts/sparkline.tsx';
import { TimeSeriesChart } from '../../charts/time-series-chart.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import styles from './kit.module.css';
import { boxPanels, cpuBand, cpuLine, latencyBand, latencyLine, trialRows } from './sample-data.ts';
import { aes256, chacha, plain } from './samples.ts';

const lead = [{ treatment: chacha, points: latencyLine(4, -5, 18), band: latencyBand, isLead: true }];
const ghosts = [1, 2, 3].map((seed) => latencyLine(seed * 31, -5, 30));
const phases = [
  { from: -5, to: 0, name: 'warm-up', isShaded: true },
  { from: 0, to: 30, name: 'measure', isShaded: false },
];
const several = [plain, chacha, aes256].map((treatment, i) => ({
  treatment,
  points: latencyLine(i * 7, 0, 30).map(({ t, v }) => ({ t, v: v + i * 2.2 })),
}));

export function KitLive(): ReactElement {
  const navigate = useNavigate();
  return (
    <div className={styles.live}>
      <Panel title="Treatments × repetitions" subtitle="median latency, ms">
        <ProgressGrid
          label="Treatments by repetitions, median latency in ms"
          treatmentHead="Cipher"
          levelHeads={['Batch']}
          rows={trialRows}
          repetitions={6}
          currentRepetition={4}
          onOpenRun={(runId) => navigate(`/experiments/E-121/runs/${runId}`)}
        />
      </Panel>
      <div className={styles.stack}>
        <ChartPanel
          mark={<TreatmentMark index={4} />}
          title="Message latency"
          subtitle="ms, per second: median with P5 to P95; grey: medians of repetitions 1 to 3"
          table={timeSeriesTable({ unit: 'ms', series: lead })}
        >
          <TimeSeriesChart
            label="Message latency of run 43"
            unit="ms"
            xRange={[-5, 30]}
            yRange={[0, 20]}
            series={lead}
            ghosts={ghosts}
            ghostLabel="reps 1–3"
            phases={phases}
            nowS={18}
            rightPx={56}
            endLabels={[
              { text: 'P95 16.8', value: 16.8 },
              { text: 'P50 8.2 ms', value: 8.2, isStrong: true },
              { text: 'P5 5.3', value: 5.3 },
            ]}
          />
          <div className={styles.devices}>
            {[7.7, 6.1, 5.4].map((base, i) => (
              <TimeSeriesChart
                key={base}
                label={`CPU of device ${i + 1}`}
                unit="%"
                xRange={[-5, 30]}
                yRange={[0, 12]}
                ySteps={2}
                heightPx={104}
                showsY={i === 0}
                rightPx={8}
                series={[{ treatment: chacha, points: cpuLine(base, base) }]}
                ghostBand={cpuBand(base)}
                phases={[{ from: -5, to: 0, name: '', isShaded: true }]}
                endLabels={[{ text: String(base), value: base + 1, isStrong: true }]}
              />
            ))}
          </div>
        </ChartPanel>
        <ChartPanel
          title="Three treatments"
          subtitle="ms, per second"
          table={timeSeriesTable({ unit: 'ms', series: several })}
        >
          <TimeSeriesChart
            label="Three treatments"
            unit="ms"
            xRange={[0, 30]}
            yRange={[0, 20]}
            series={several}
            dashed
            rightPx={72}
          />
        </ChartPanel>
        <Panel title="Sparklines" padded>
          <div className={styles.toolbar}>
            <Sparkline
              label="CPU of the broker"
              treatmentIndex={4}
              values={cpuLine(2, 7.7).map((p) => p.v)}
              range={[0, 12]}
              capacity={36}
            />
            <TreatmentSparkline
              label="Mean and 95 % interval of each treatment"
              groupSize={5}
              marks={boxPanels.flatMap((panel) =>
                panel.boxes.map((box) => ({
                  index: box.treatment.index,
                  value: box.mean,
                  lo: box.lo ?? box.mean,
                  hi: box.hi ?? box.mean,
                })),
              )}
            />
          </div>
        </Panel>
      </div>
    </div>
  );
}
