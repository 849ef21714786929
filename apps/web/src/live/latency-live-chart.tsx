import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatNumber } from '@mqttlab/shared/format/number';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { type ReactElement, useMemo } from 'react';
import { type EndLabel, TimeSeriesChart } from '../charts/time-series-chart.tsx';
import { useFixedTop } from '../pages/experiment/use-fixed-top.ts';
import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';
import { finishedPoints, liveLatencyBand, livePoints } from './live-series.ts';
import { latestMs } from './phase-steps.ts';

export type LatencyLiveChartProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  earlier: readonly RunDetail[];
  warmUpMs: number;
  measureMs: number;
  /** P95 that runs of this experiment reached, ms: the axis begins with room for it. */
  expectedMs: number;
  /** Keeps the axis over the runs of one experiment. */
  axisKey: string;
  heightPx: number;
};

/** Median per second with its P5 to P95 band over the whole planned duration; earlier repetitions in grey. */
export function LatencyLiveChart(props: LatencyLiveChartProps): ReactElement {
  const { current, treatment, earlier, warmUpMs, measureMs, heightPx } = props;
  const points = useMemo(
    () => livePoints(current, speakerOf(current), (frame) => frame.latencyMs?.p50 ?? null),
    [current],
  );
  const band = useMemo(() => liveLatencyBand(current), [current]);
  const ghosts = useMemo(
    () =>
      earlier
        .map((run) =>
          finishedPoints(run, 'subscriber', { series: ['latency.p50'], scale: 1, joined: 'mean' }),
        )
        .filter((ghost) => ghost.length > 0),
    [earlier],
  );
  const highest = Math.max(props.expectedMs, ...band.map((point) => point.hi));
  const top = useFixedTop(props.axisKey, highest);
  const series = useMemo(() => [{ treatment, points, band, isLead: true }], [treatment, points, band]);
  const phases = useMemo(
    () => [
      { from: -warmUpMs / 1000, to: 0, name: 'warm-up', isShaded: true },
      { from: 0, to: measureMs / 1000, name: 'measure', isShaded: false },
    ],
    [warmUpMs, measureMs],
  );
  const endLabels = useMemo(() => makeEndLabels(current), [current]);
  const atMs = latestMs(current);
  const ghostBlocks = earlier.map((run) => run.block);
  return (
    <TimeSeriesChart
      label={`Message latency of run ${current.run.id} per second, ms`}
      unit="ms"
      xRange={[-warmUpMs / 1000, measureMs / 1000]}
      yRange={[0, top]}
      series={series}
      ghosts={ghosts}
      {...(ghosts.length > 0 ? { ghostLabel: nameBlocks(ghostBlocks) } : {})}
      phases={phases}
      {...(atMs === null ? {} : { nowS: Math.min(atMs, measureMs) / 1000 })}
      endLabels={endLabels}
      rightPx={ghosts.length > 0 ? 56 : 12}
      heightPx={heightPx}
    />
  );
}

/** Who times messages: over CoAP, where there is no subscriber, the publisher. */
function speakerOf(current: CurrentRun): 'publisher' | 'subscriber' {
  const fromPublisher = current.progress.some(({ role, latencyMs }) => role === 'publisher' && latencyMs);
  return fromPublisher ? 'publisher' : 'subscriber';
}

function makeEndLabels(current: CurrentRun): EndLabel[] {
  const last = current.progress.findLast((frame) => frame.role === speakerOf(current))?.latencyMs;
  if (!last) return [];
  return [
    { text: `P95 ${formatNumber(last.p95)}`, value: last.p95 },
    { text: `P50 ${formatNumber(last.p50)} ms`, value: last.p50, isStrong: true },
    { text: `P5 ${formatNumber(last.p5)}`, value: last.p5 },
  ];
}

/** "rep 2", "reps 1–3", "reps 1, 3". */
export function nameBlocks(blocks: readonly number[]): string {
  const sorted = [...new Set(blocks)].sort((a, b) => a - b);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return '';
  if (first === last) return `rep ${first}`;
  return last - first === sorted.length - 1 ? `reps ${first}–${last}` : `reps ${sorted.join(', ')}`;
}
