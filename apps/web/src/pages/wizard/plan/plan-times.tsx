import { NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';
import { Facts } from '../../../ui/facts.tsx';
import { formatDuration } from '../../../ui/format/duration.ts';
import { useNow } from '../../experiments/use-now.ts';
import { useWizard } from '../wizard-context.tsx';
import { lookOf } from '../workload/workload-kinds.ts';
import { clockOf, laterOf } from './clock-of.ts';
import styles from './plan-times.module.css';
import { QueueStrip } from './queue-strip.tsx';

/** A start this near is at once. */
const soonMs = 15_000;

/** How long it takes, when it is done, and how much it leaves behind. */
export function PlanTimes(): ReactElement {
  const { forecast, draft } = useWizard();
  const { isCounted } = lookOf(draft.workload.kind);
  const nowMs = useNow(2000);
  const { estimate, startsAt, diskFreeBytes } = forecast;
  if (!estimate) return <p className={styles.note}>Times follow as soon as something can run.</p>;
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
            value: start === null ? NO_VALUE : start <= nowMs + soonMs ? 'at once' : clockOf(start, nowMs),
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
          ? 'A guess until the server has answered.'
          : estimate.source === 'observed'
            ? 'From the runs this testbed has made.'
            : 'A guess: this testbed has made no runs yet.'}
      </p>
    </>
  );
}
