import type { Workload } from '@mqttlab/shared/domain/experiment-draft';
import type { ReactElement } from 'react';
import { formatDuration } from '../../ui/format/duration.ts';
import styles from './phase-strip.module.css';

/** Warm-up, measure and drain side by side, as long as they last. */
export function PhaseStrip({ workload }: { workload: Workload }): ReactElement {
  const parts = [
    { kind: 'warm-up', ms: workload.warmUpMs, words: formatDuration(workload.warmUpMs) },
    { kind: 'measure', ms: workload.measureMs, words: formatDuration(workload.measureMs) },
    { kind: 'drain', ms: workload.drainTimeoutMs, words: `up to ${formatDuration(workload.drainTimeoutMs)}` },
  ].filter(({ ms }) => Number.isFinite(ms) && ms > 0);
  return (
    <ol className={styles.strip} aria-label="Phases of one run">
      {parts.map(({ kind, ms, words }) => (
        <li key={kind} data-kind={kind} style={{ flexGrow: ms }}>
          <b>{kind}</b> <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}
