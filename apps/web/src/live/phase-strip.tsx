import { formatFixed } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { formatDuration } from '../ui/format.ts';
import type { PhaseStep } from './phase-steps.ts';
import styles from './phase-strip.module.css';

/** The eight phases of a Run; each shows its duration as soon as it is known. */
export function PhaseStrip({ steps }: { steps: readonly PhaseStep[] }): ReactElement {
  return (
    <ol className={styles.strip} aria-label="Phases">
      {steps.map((step) => (
        <li
          key={step.phase}
          data-state={step.state}
          data-phase={step.phase}
          aria-current={step.state === 'running' ? 'step' : undefined}
        >
          <span className={styles.bar}>
            <span style={{ width: `${step.share * 100}%` }} />
          </span>
          <b>{step.phase}</b>
          <span className={styles.time}>{describeStep(step)}</span>
        </li>
      ))}
    </ol>
  );
}

/** For phones: the bars alone, and in words only what happens now. */
export function PhaseLine({ steps }: { steps: readonly PhaseStep[] }): ReactElement {
  const now = steps.find((step) => step.state === 'running');
  const setUpMs = steps
    .filter(({ phase }) => phase !== 'warm-up' && phase !== 'measure')
    .reduce((sum, step) => sum + (step.state === 'done' ? (step.durationMs ?? 0) : 0), 0);
  return (
    <div>
      <ol className={styles.strip} data-compact aria-label="Phases">
        {steps.map((step) => (
          <li key={step.phase} data-state={step.state} data-phase={step.phase}>
            <span className={styles.bar}>
              <span style={{ width: `${step.share * 100}%` }} />
            </span>
            <span className="visually-hidden">{`${step.phase} ${describeStep(step) || step.state}`}</span>
          </li>
        ))}
      </ol>
      <div className={styles.words}>
        <span>
          {now ? (
            <>
              <b>{now.phase}</b> {describeStep(now)}
            </>
          ) : (
            'between phases'
          )}
        </span>
        <span>{setUpMs > 0 && `set-up ${formatDuration(setUpMs)}`}</span>
      </div>
    </div>
  );
}

/** "4.1 ms", "18 of 30 s", "none" for a phase that this run does not have. */
function describeStep({ state, durationMs, plannedMs }: PhaseStep): string {
  if (state === 'left out') return 'none';
  if (state === 'running' && plannedMs !== null) {
    const decimals = plannedMs < 10_000 && plannedMs % 1000 !== 0 ? 1 : 0;
    const seconds = (ms: number) => formatFixed(ms / 1000, decimals);
    return `${seconds(durationMs ?? 0)} of ${seconds(plannedMs)} s`;
  }
  return durationMs === null ? '' : formatDuration(durationMs);
}
