import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type Phase, phases } from '@mqttlab/shared/domain/runs/statuses';
import { formatFixed } from '@mqttlab/shared/format/number';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import type { ReactElement } from 'react';
import { formatDuration } from '../ui/format.ts';
import styles from './live.module.css';

/** The eight phases of a run; each shows its duration as soon as it is known. */
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

/** The bars on phones, with text only for the current phase. */
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

/** Returns "4.1 ms", "18 of 30 s", or "none" for a phase that this run does not have. */
function describeStep({ state, durationMs, plannedMs }: PhaseStep): string {
  if (state === 'left out') return 'none';
  if (state === 'running' && plannedMs !== null) {
    const decimals = plannedMs < 10_000 && plannedMs % 1000 !== 0 ? 1 : 0;
    const seconds = (ms: number) => formatFixed(ms / 1000, decimals);
    return `${seconds(durationMs ?? 0)} of ${seconds(plannedMs)} s`;
  }
  return durationMs === null ? '' : formatDuration(durationMs);
}

interface PhaseStep {
  phase: Phase;
  state: 'waiting' | 'running' | 'done' | 'left out';
  /** Elapsed share of the phase, 0 to 1. */
  share: number;
  durationMs: number | null;
  /** Planned duration; null if it is not known in advance. */
  plannedMs: number | null;
}

/**
 * Roles that report a phase, by priority. Only the subscriber subscribes; the publisher connects and sends.
 */
const reporters: Readonly<Partial<Record<Phase, readonly Role[]>>> = { subscribe: ['subscriber'] };
const usual: readonly Role[] = ['publisher', 'subscriber', 'broker'];

/** Returns the steps of the strip, from the phases that devices have reported so far. */
export function makePhaseSteps(current: CurrentRun, spec: TrialSpec): PhaseStep[] {
  const atMs = latestMs(current);
  return phases.map((phase): PhaseStep => {
    const plannedMs = plannedMsOf(phase, spec);
    if (phase === 'tls' && spec.security === 'plain') {
      return { phase, state: 'left out', share: 0, durationMs: null, plannedMs: null };
    }
    const reported = (reporters[phase] ?? usual)
      .map((role) => current.phases.find((item) => item.phase === phase && item.role === role))
      .find((item) => item !== undefined);
    if (!reported) return { phase, state: 'waiting', share: 0, durationMs: null, plannedMs };
    if (reported.durationUs !== null) {
      return { phase, state: 'done', share: 1, durationMs: reported.durationUs / 1000, plannedMs };
    }
    const elapsedMs = atMs === null ? null : phase === 'warm-up' ? atMs + spec.warmUpMs : atMs;
    const known = elapsedMs !== null && plannedMs !== null && plannedMs > 0;
    const counted = phase === 'measure' ? (countedMessages(current, spec)?.share ?? 0) : 0;
    return {
      phase,
      state: 'running',
      // A load with a message count ends with the last message or when its time has elapsed.
      share: known ? Math.min(1, Math.max(0, counted, elapsedMs / plannedMs)) : 0.5,
      durationMs: known ? Math.min(plannedMs, Math.max(0, elapsedMs)) : null,
      plannedMs,
    };
  });
}

/** Returns the progress of a stream with a message count; null for a stream with a duration. */
export function countedMessages(
  { progress }: Pick<CurrentRun, 'progress'>,
  { workload, messages, publishers }: TrialSpec,
): { sent: number; all: number; share: number } | null {
  if (workload !== 'stream' || messages === null) return null;
  const all = messages * publishers;
  const sent = Math.min(all, progress.findLast(({ role }) => role === 'publisher')?.messages ?? 0);
  return { sent, all, share: sent / all };
}

/** Returns the time of the newest frame since the start of the measure phase; null before the first frame. */
export function latestMs(current: CurrentRun): number | null {
  return current.progress.reduce<number | null>(
    (latest, frame) => (latest === null || frame.atMs > latest ? frame.atMs : latest),
    null,
  );
}

function plannedMsOf(phase: Phase, spec: TrialSpec): number | null {
  if (phase === 'warm-up') return spec.warmUpMs;
  return phase === 'measure' ? spec.measureMs : null;
}
