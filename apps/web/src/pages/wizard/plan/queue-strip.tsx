import type { CSSProperties, ReactElement } from 'react';
import { useExperiments } from '../../../api/queries.ts';
import { formatTimeOfDay } from '../../../ui/format/time.ts';
import { experimentCode } from '../../experiments/describe-experiment.ts';
import { useWizard } from '../wizard-context.tsx';
import { layOutQueue, type QueueBar } from './lay-out-queue.ts';
import styles from './queue-strip.module.css';

type QueueStripProps = { nowMs: number; startsAt: number; durationMs: number };

/** What this testbed does before this plan, on one time axis. */
export function QueueStrip({ nowMs, startsAt, durationMs }: QueueStripProps): ReactElement {
  const { experiment, testbed } = useWizard();
  const active = useExperiments({ status: 'active', limit: 100 });
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

/** After a bar that ends early, before one that begins late, in one that takes nearly all. */
function labelPlace({ fromShare, toShare }: QueueBar): CSSProperties {
  if (toShare < 0.5) return { left: `calc(${toShare * 100}% + 6px)` };
  if (fromShare < 0.3) return { left: `calc(${fromShare * 100}% + 6px)` };
  return { right: `calc(${(1 - fromShare) * 100}% + 6px)` };
}

function words({ label }: QueueBar): string {
  return label;
}
