import { NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { CSSProperties, ReactElement } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { Facts } from '../../../ui/facts.tsx';
import { experimentCode, formatDay, formatDuration, formatTimeOfDay, useNow } from '../../../ui/format.ts';
import { useWizard } from '../model/wizard-context.tsx';
import { lookOf } from '../model/workload-kinds.ts';
import styles from './plan-times.module.css';

/** A start within this time is shown as "now". */
const soonMs = 15_000;

/** Duration, finish time and data size of the plan. */
export function PlanTimes(): ReactElement {
  const { forecast, draft } = useWizard();
  const { isCounted } = lookOf(draft.workload.kind);
  const nowMs = useNow(2000);
  const { estimate, startsAt, diskFreeBytes } = forecast;
  if (!estimate) return <p className={styles.note}>Times appear when the plan can run.</p>;
  const start = startsAt === null ? null : laterOf(startsAt, nowMs);
  const isTight = diskFreeBytes !== null && estimate.dataBytes > diskFreeBytes / 2;
  return (
    <>
      <Facts
        facts={[
          { label: isCounted ? 'One run, at most' : 'One run', value: formatDuration(estimate.runMs) },
          { label: isCounted ? 'Duration, at most' : 'Duration', value: formatDuration(estimate.durationMs) },
          {
            label: 'Starts',
            value: start === null ? NO_VALUE : start <= nowMs + soonMs ? 'now' : clockOf(start, nowMs),
          },
          {
            label: 'Finishes',
            value: start === null ? NO_VALUE : clockOf(start + estimate.durationMs, nowMs),
            strong: true,
          },
          {
            label: 'Data',
            value: (
              <span className={isTight ? styles.tight : undefined}>
                {formatBytes(estimate.dataBytes)}
                {diskFreeBytes !== null && ` of ${formatBytes(diskFreeBytes)} free`}
              </span>
            ),
          },
        ]}
      />
      {start !== null && start > nowMs + soonMs && (
        <QueueStrip nowMs={nowMs} startsAt={start} durationMs={estimate.durationMs} />
      )}
      <p className={styles.note}>
        {startsAt === null
          ? 'Estimate; the server has not responded yet.'
          : estimate.source === 'observed'
            ? 'Based on earlier runs on this testbed.'
            : 'Estimate; this testbed has no earlier runs.'}
      </p>
    </>
  );
}

const dayMs = 86_400_000;

/** Returns "today 19:01", "tomorrow 07:30" or "24 Nov 11:00". */
export function clockOf(atMs: number, nowMs: number): string {
  const days = Math.round((startOfDay(atMs) - startOfDay(nowMs)) / dayMs);
  const day = days === 0 ? 'today' : days === 1 ? 'tomorrow' : formatDay(atMs, nowMs);
  return `${day} ${formatTimeOfDay(atMs)}`;
}

/** Returns the later of both times, because a predicted start cannot be in the past. */
function laterOf(startsAtMs: number, nowMs: number): number {
  return Math.max(startsAtMs, nowMs);
}

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

type QueueStripProps = { nowMs: number; startsAt: number; durationMs: number };

/** The testbed's queue before this plan, on a time axis. */
function QueueStrip({ nowMs, startsAt, durationMs }: QueueStripProps): ReactElement {
  const { experiment, testbed } = useWizard();
  const active = useApi('GET /experiments', { query: { status: 'active', limit: 100 } });
  const others = (active.data?.items ?? []).filter(
    (one) => one.testbedId === testbed.testbedId && one.id !== experiment.id,
  );
  const running = others.find((one) => one.id === testbed.busyWith);
  const bars = layOutQueue({
    nowMs,
    startsAt,
    durationMs,
    runningLeftMs: running ? running.timeLeftMs : null,
    runningLabel: running ? `${experimentCode(running.id)} running` : 'running',
    queued: others.filter((one) => one.status === 'queued').length,
  });
  return (
    <div
      className={styles.strip}
      role="img"
      aria-label={`Queue of ${testbed.name}: ${bars.map(words).join(', ')}`}
    >
      {bars.map((bar) => (
        <div key={bar.kind} className={styles.lane}>
          <span
            className={styles.bar}
            data-kind={bar.kind}
            style={{ left: `${bar.fromShare * 100}%`, width: `${(bar.toShare - bar.fromShare) * 100}%` }}
          />
          <span className={styles.label} style={labelPlace(bar)}>
            {bar.label}
          </span>
        </div>
      ))}
      <div className={styles.axis}>
        <span>{formatTimeOfDay(nowMs)}</span>
        <span>{formatTimeOfDay(startsAt + durationMs)}</span>
      </div>
    </div>
  );
}

/**
 * Returns the position of a label: after a bar that ends early, before a bar that starts late, otherwise
 * inside the bar.
 */
function labelPlace({ fromShare, toShare }: QueueBar): CSSProperties {
  if (toShare < 0.5) return { left: `calc(${toShare * 100}% + 6px)` };
  if (fromShare < 0.3) return { left: `calc(${fromShare * 100}% + 6px)` };
  return { right: `calc(${(1 - fromShare) * 100}% + 6px)` };
}

function words({ label }: QueueBar): string {
  return label;
}

interface QueueBar {
  kind: 'running' | 'queued' | 'plan';
  label: string;
  /** Share of the time from now to the end of this plan. */
  fromShare: number;
  toShare: number;
}

interface QueueInput {
  nowMs: number;
  startsAt: number;
  durationMs: number;
  /** null if no experiment is running or its end is unknown. */
  runningLeftMs: number | null;
  runningLabel: string;
  queued: number;
}

/**
 * Returns bars for the running experiment, the queued experiments and this plan, from now to the end of the
 * plan.
 */
export function layOutQueue(input: QueueInput): QueueBar[] {
  const { nowMs, startsAt, durationMs, runningLeftMs, runningLabel, queued } = input;
  const waitMs = Math.max(0, startsAt - nowMs);
  const wholeMs = waitMs + durationMs;
  const runningShare = Math.min(runningLeftMs ?? (queued === 0 ? waitMs : 0), waitMs) / wholeMs;
  const startShare = waitMs / wholeMs;
  const bars: QueueBar[] = [
    { kind: 'running', label: runningLabel, fromShare: 0, toShare: runningShare },
    {
      kind: 'queued',
      label: queued > 0 ? `${queued} queued` : 'waiting',
      fromShare: runningShare,
      toShare: startShare,
    },
    { kind: 'plan', label: 'this plan', fromShare: startShare, toShare: 1 },
  ];
  return bars.filter((bar) => bar.toShare - bar.fromShare > 0.001);
}
