import { Skeleton } from '@mantine/core';
import { textWidth } from '@mqttlab/charts/drawing/text-width';
import { describeStacks } from '@mqttlab/charts/kinds/stack';
import { describeSeries, type EndLabel } from '@mqttlab/charts/kinds/time-series';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import {
  type AnswerPicture,
  answerPictureOf,
  carriesMessages,
  isCounted,
  liveBucketMs,
} from '@mqttlab/shared/catalogue/workloads';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { type RunDetail, type RunRow, runName } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber, NO_VALUE, plural } from '@mqttlab/shared/format/number';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { IconArrowUpRight } from '@tabler/icons-react';
import { memo, type ReactElement, useMemo } from 'react';
import { useApi } from '../api/use-api.ts';
import { SharedCrosshair } from '../charts/canvas/crosshair.tsx';
import { Chart } from '../charts/chart.tsx';
import { IconButton } from '../ui/input/buttons.tsx';
import { Panel } from '../ui/panel.tsx';
import { useIsPhone } from '../ui/theme.ts';
import { identityOf, type TreatmentIdentity, TreatmentMark } from '../ui/treatment-mark.tsx';
import { DeviceCharts, DeviceRows } from './device-charts.tsx';
import styles from './live.module.css';
import { useLive } from './live-provider.tsx';
import {
  describeSpread,
  expectedP95,
  finishedPoints,
  isJoined,
  joinDevices,
  liveLatency,
  useLatencyAxis,
} from './live-series.ts';
import { countedMessages, latestMs, makePhaseSteps, PhaseLine, PhaseStrip } from './phase-strip.tsx';
import { useEarlierRuns } from './use-earlier-runs.ts';

type CurrentRunPanelProps = {
  current: CurrentRun;
  treatment: Treatment;
  /** Finished runs of the same treatment: the grey lines. */
  earlier: readonly RunDetail[];
  /** Runs of the experiment, which determine the height of the axis. */
  runs: readonly RunRow[];
  testbed: TestbedStatus | undefined;
  onOpenRun?: ((runId: number) => void) | undefined;
};

/** The current run: its phases, message latency and every device, second by second. */
export const CurrentRunPanel = memo(function CurrentRunPanel(props: CurrentRunPanelProps): ReactElement {
  const { treatment, earlier, runs, testbed, onOpenRun } = props;
  const current = useMemo(() => joinDevices(props.current), [props.current]);
  const isPhone = useIsPhone();
  const { run } = current;
  const { spec } = treatment;
  const steps = useMemo(() => makePhaseSteps(current, spec), [current, spec]);
  const expectedMs = useMemo(() => expectedP95(runs, run.treatmentKey), [runs, run.treatmentKey]);
  const picture = answerPictureOf([spec]);
  // If several devices play a role, some may be idle in this run.
  const telling = new Set(props.current.progress.map(({ deviceId }) => deviceId));
  const taking = testbed?.devices.filter(({ deviceId }) => telling.size === 0 || telling.has(deviceId));
  const byRole = Map.groupBy(taking ?? [], ({ role }) => role);
  const devices = Object.fromEntries(
    [...byRole].map(([role, own]) => [role, own.map(({ name }) => name).join(', ')]),
  );
  const identity = useMemo(() => identityOf(treatment), [treatment]);
  const shared = {
    current,
    treatment: identity,
    earlier,
    warmUpMs: spec.warmUpMs,
    measureMs: spec.measureMs,
  };
  const isOfSeveral = isJoined(props.current);
  const spreadWords = describeSpread(isOfSeveral);
  const grey =
    earlier.length === 0 ? '' : `; grey: ${nameBlocks(earlier.map(({ block }) => block))} of this treatment`;
  return (
    <Panel
      mark={<TreatmentMark index={treatment.mark} />}
      title={isPhone ? treatment.shortLabel : `Run ${run.trialNumber}: ${treatment.label}`}
      subtitle={
        isPhone
          ? `${runName(run)}, rep ${run.block}`
          : `repetition ${run.block}${run.attempt > 1 ? `, attempt ${run.attempt}` : ''}${countWords(current, spec)}`
      }
      actions={
        onOpenRun && (
          <IconButton
            icon={IconArrowUpRight}
            label={`Open ${runName(run)}`}
            onClick={() => onOpenRun(run.id)}
          />
        )
      }
    >
      <div className={styles.phases}>
        {isPhone ? <PhaseLine steps={steps} /> : <PhaseStrip steps={steps} />}
      </div>
      <SharedCrosshair>
        {carriesMessages(spec.workload) && (
          <div className={styles.latency}>
            <h3>
              {isPhone ? (
                `Message latency, ms, ${bucketWords(spec)}: ${spreadWords}`
              ) : (
                <>
                  Message latency{' '}
                  <span>
                    ms, {bucketWords(spec)}: {spreadWords}
                    {grey}
                  </span>
                </>
              )}
            </h3>
            <LatencyLiveChart
              {...shared}
              isOfSeveral={isOfSeveral}
              expectedMs={expectedMs}
              axisKey={`${run.experimentId} ${run.treatmentKey}`}
              heightPx={isPhone ? 138 : 170}
            />
          </div>
        )}
        {isCounted(spec) && picture && picture.layout !== 'over time' && (
          <SoFar {...shared} picture={picture} />
        )}
        {isPhone ? (
          <DeviceRows
            current={current}
            treatment={identity}
            measureMs={spec.measureMs}
            warmUpMs={spec.warmUpMs}
          />
        ) : (
          <DeviceCharts {...shared} devices={devices} />
        )}
      </SharedCrosshair>
    </Panel>
  );
});

/** Returns ", 412 of 1,000 messages" if the load ends after a number of messages. */
function countWords(current: CurrentRun, spec: Treatment['spec']): string {
  const counted = countedMessages(current, spec);
  return counted ? `, ${formatCount(counted.sent)} of ${formatCount(counted.all)} messages` : '';
}

/** Shown before the first run, with the same height to avoid a layout shift. */
export function CurrentRunPlaceholder({ words }: { words: string }): ReactElement {
  return (
    <Panel title="Current run" subtitle={words}>
      <div className={styles.placeholder} aria-hidden>
        <Skeleton height={40} animate={false} />
        <Skeleton height={180} animate={false} />
        <Skeleton height={280} animate={false} />
      </div>
    </Panel>
  );
}

/** The current run on its run page, drawn as on its experiment's page. */
export function RunUnderWay({ run }: { run: RunDetail }): ReactElement {
  const experiment = useApi('GET /experiments/{id}', { params: { id: run.experimentId } }).data;
  const current = useLive((state) => state.current.find((item) => item.run.id === run.id)) ?? null;
  const runs = experiment?.runs ?? [];
  const earlier = useEarlierRuns(runs, current?.run ?? null);
  const testbed = useApi('GET /testbeds').data?.items.find(
    (item) => item.testbedId === experiment?.testbedId,
  );
  if (!current) return <CurrentRunPlaceholder words="waiting for its devices" />;
  return (
    <CurrentRunPanel
      current={current}
      treatment={run.treatment}
      earlier={earlier}
      runs={runs}
      testbed={testbed}
    />
  );
}

type LatencyLiveChartProps = {
  /** True if several devices time messages. */
  isOfSeveral: boolean;
  current: CurrentRun;
  treatment: TreatmentIdentity;
  earlier: readonly RunDetail[];
  warmUpMs: number;
  measureMs: number;
  /** P95 of earlier runs of this experiment, in ms. The axis starts with room for it. */
  expectedMs: number;
  /** Identifies runs that share an axis. */
  axisKey: string;
  heightPx: number;
};

/** Median per second with its P5 to P95 band over the whole planned duration; earlier repetitions in grey. */
function LatencyLiveChart(props: LatencyLiveChartProps): ReactElement {
  const { current, isOfSeveral, treatment, earlier, warmUpMs, measureMs, heightPx } = props;
  const { points, band } = useMemo(() => liveLatency(current, reporterOf(current)), [current]);
  const ghosts = useMemo(
    () =>
      earlier
        .map((run) =>
          finishedPoints(run, 'subscriber', { series: ['latency.p50'], scale: 1, joined: 'mean' }),
        )
        .filter((ghost) => ghost.length > 0),
    [earlier],
  );
  const { isLog, bottom, top } = useLatencyAxis(props.axisKey, {
    points,
    band,
    expectedMs: props.expectedMs,
  });
  const series = useMemo(() => [{ treatment, points, band, isLead: true }], [treatment, points, band]);
  const phases = useMemo(
    () => [
      { from: -warmUpMs / 1000, to: 0, name: 'warm-up', isShaded: true },
      { from: 0, to: measureMs / 1000, name: 'measure', isShaded: false },
    ],
    [warmUpMs, measureMs],
  );
  const ghostName = nameBlocks(earlier.map(({ block }) => block));
  const endLabels = useMemo(() => {
    const ghost = { text: ghostName, value: ghosts[0]?.at(-1)?.v ?? null };
    return [...makeEndLabels(current, isOfSeveral), ...(ghosts.length > 0 ? [ghost] : [])];
  }, [current, isOfSeveral, ghostName, ghosts]);
  const atMs = latestMs(current);
  return (
    <Chart
      describe={describeSeries}
      label={`Message latency of ${runName(current.run)} ${bucketWords({ measureMs })}, ms`}
      unit="ms"
      xRange={[-warmUpMs / 1000, measureMs / 1000]}
      yRange={[bottom, top]}
      isLog={isLog}
      series={series}
      ghosts={ghosts}
      phases={phases}
      {...(atMs === null ? {} : { nowS: Math.min(atMs, measureMs) / 1000 })}
      endLabels={endLabels}
      rightPx={legendPx(isOfSeveral, ghostName)}
      heightPx={heightPx}
    />
  );
}

function bucketWords(spec: Pick<Treatment['spec'], 'measureMs'>): string {
  const bucketMs = liveBucketMs(spec);
  return bucketMs === null ? 'per second' : `per ${bucketMs} ms`;
}

/** Returns the role that times messages: the subscriber, or the publisher over CoAP. */
function reporterOf(current: CurrentRun): 'publisher' | 'subscriber' {
  const fromPublisher = current.progress.some(({ role, latencyMs }) => role === 'publisher' && latencyMs);
  return fromPublisher ? 'publisher' : 'subscriber';
}

/** Returns the names of the three latencies, the highest first. */
function latencyNames(isOfSeveral: boolean): readonly [string, string, string] {
  return isOfSeveral ? ['highest P95', 'mean P50', 'lowest P5'] : ['P95', 'P50', 'P5'];
}

/**
 * Returns the legend beside the chart, with the latest values. Before the first values, it has the same
 * entries without values.
 */
function makeEndLabels(current: CurrentRun, isOfSeveral: boolean): EndLabel[] {
  const last = current.progress.findLast((frame) => frame.role === reporterOf(current))?.latencyMs;
  const [p95, p50, p5] = latencyNames(isOfSeveral);
  const entry = (name: string, value: number | undefined): EndLabel => ({
    text: `${name} ${value === undefined ? NO_VALUE : formatNumber(value)}`,
    value: value ?? null,
  });
  const median = entry(p50, last?.p50);
  return [
    entry(p95, last?.p95),
    { ...median, text: `${median.text} ms`, isStrong: true },
    entry(p5, last?.p5),
  ];
}

/** Returns the width of the legend, which does not depend on its values. */
function legendPx(isOfSeveral: boolean, ghostName: string): number {
  const texts = [...latencyNames(isOfSeveral).map((name) => `${name} 0,000 ms`), ghostName];
  return Math.ceil(Math.max(...texts.map((text) => textWidth(text, { weight: 600 })))) + 14;
}

/** Returns "rep 2", "reps 1–3", "reps 1, 3". */
export function nameBlocks(blocks: readonly number[]): string {
  const sorted = [...new Set(blocks)].sort((a, b) => a - b);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return '';
  if (first === last) return `rep ${first}`;
  return last - first === sorted.length - 1 ? `reps ${first}–${last}` : `reps ${sorted.join(', ')}`;
}

type SoFarProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  earlier: readonly RunDetail[];
  picture: Extract<AnswerPicture, { parts: unknown }>;
};

/** Cost of connections so far, by phase or state, with earlier repetitions below. */
function SoFar({ current, treatment, earlier, picture }: SoFarProps): ReactElement {
  const frame = current.progress.findLast(({ role }) => role === 'publisher');
  const { parts, title, layout } = picture;
  const unit = findMetric(parts[0]?.metric ?? '')?.unit ?? '';
  const phaseCosts = useMemo(() => {
    const barOf = (name: string, values: Readonly<Record<string, number | null>>) => ({
      name,
      parts: parts.map(({ metric }) => values[metric] ?? 0),
    });
    const runs = [
      barOf('this run', frame?.soFar ?? {}),
      ...earlier.map((run) => barOf(`rep ${run.block}`, run.metrics)),
    ];
    if (layout === 'stacked') return { parts: parts.map(({ label }) => label), bars: runs };
    const [now] = runs;
    return { parts: [], bars: parts.map(({ label }, i) => ({ name: label, parts: [now?.parts[i] ?? 0] })) };
  }, [frame?.soFar, earlier, parts, layout]);
  return (
    <div className={styles.latency}>
      <h3>
        {title}{' '}
        <span>
          {unit}, over {plural(frame?.messages ?? 0, 'connection')} so far
        </span>
      </h3>
      <Chart
        describe={describeStacks}
        label={`${title} of ${runName(current.run)}, ${unit}`}
        unit={unit}
        data={phaseCosts}
        {...(layout === 'stacked' ? {} : { treatmentIndex: treatment.index })}
      />
    </div>
  );
}
