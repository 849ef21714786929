import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import type { HistogramName } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { type RunDevice, runDevices } from './run-devices.ts';

const phaseNames: readonly { name: HistogramName; label: string }[] = [
  { name: 'phase.tcp', label: 'tcp' },
  { name: 'phase.tls', label: 'tls' },
  { name: 'phase.connect', label: 'connect' },
  { name: 'phase.subscribe', label: 'subscribe' },
  { name: 'phase.set-up', label: 'set-up' },
];

/** How long one phase took over all connections of a device, ms. */
export interface PhaseSpread {
  label: string;
  count: number;
  min: number;
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  /** null where there are too few connections for it. */
  p99: number | null;
  max: number;
  mean: number;
}

export interface Connections extends RunDevice {
  phases: PhaseSpread[];
  opened: number;
  failed: number;
  /** Over the measure phase; null where its length is not known. */
  perSecond: number | null;
}

/** Every device that opened more than its first connection. */
export function connectionsOf(run: Pick<RunDetail, 'results'>): Connections[] {
  return runDevices(run).flatMap(({ result, ...device }): Connections[] => {
    const phases = phaseNames.flatMap(({ name, label }) => {
      const json = result.histograms[name];
      return json && json.count > 0 ? [spreadOf(label, LatencyHistogram.fromJson(json))] : [];
    });
    if (phases.length === 0) return [];
    const { connectionsOpened = 0, connectionsFailed = 0 } = result.counters ?? {};
    const measure = result.phases.find((record) => record.phase === 'measure');
    const opened = connectionsOpened || Math.max(...phases.map(({ count }) => count));
    return [
      {
        ...device,
        phases,
        opened,
        failed: connectionsFailed,
        perSecond: measure && measure.durationUs > 0 ? opened / (measure.durationUs / 1e6) : null,
      },
    ];
  });
}

function spreadOf(label: string, histogram: LatencyHistogram): PhaseSpread {
  const ms = (us: number | null) => (us ?? 0) / 1000;
  const at = (percent: number) => ms(histogram.percentile(percent));
  return {
    label,
    count: histogram.count,
    min: ms(histogram.minUs),
    p5: at(5),
    p25: at(25),
    p50: at(50),
    p75: at(75),
    p95: at(95),
    p99: histogram.count >= enoughFor(99) ? at(99) : null,
    max: ms(histogram.maxUs),
    mean: ms(histogram.meanUs),
  };
}
