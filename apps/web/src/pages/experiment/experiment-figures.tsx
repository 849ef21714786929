import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunRow } from '@mqttlab/shared/domain/runs/run';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { formatCount } from '@mqttlab/shared/format/number';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';
import { IconDice5, IconListNumbers } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { TimeLeft } from '../../live/time-left.ts';
import { type KeyFigure, KeyFigures } from '../../ui/facts.tsx';
import { formatDuration, formatTimeOfDay } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { TrialBar } from '../../ui/trial-bar.tsx';
import { countValidity } from '../experiments/describe-experiment.ts';
import styles from './experiment.module.css';

type ExperimentFiguresProps = { experiment: ExperimentDetail; left: TimeLeft | null };

/** Key figures: progress, time left, valid runs and order. */
export function ExperimentFigures({ experiment, left }: ExperimentFiguresProps): ReactElement {
  const { progress, plan } = experiment;
  const figures: KeyFigure[] = [
    {
      label: 'Trials done',
      value: formatCount(progress.done),
      note: (
        <span className={styles.progress}>
          <span className={styles.of}>of {formatCount(progress.trials)}</span>
          <ExperimentBar experiment={experiment} />
        </span>
      ),
      grow: 3,
    },
    timeFigure(experiment, left),
    { label: 'Validity', value: <Validity experiment={experiment} />, grow: 3 },
    ...(plan
      ? [
          {
            label: 'Order',
            value: (
              <span className={styles.order}>
                {plan.order === 'as listed' ? (
                  <IconListNumbers size={16} stroke={2} aria-hidden />
                ) : (
                  <IconDice5 size={16} stroke={2} aria-hidden />
                )}
                <span>
                  {plan.order}
                  {plan.order !== 'as listed' && (
                    <>
                      , seed <span className="mono">{plan.seed}</span>
                    </>
                  )}
                </span>
              </span>
            ),
            grow: 2,
          },
        ]
      : []),
  ];
  return <KeyFigures label="Progress" figures={figures} />;
}

function ExperimentBar({ experiment }: { experiment: ExperimentDetail }): ReactElement {
  const { trials, done, flagged, failed, running } = experiment.progress;
  return <TrialBar total={trials} done={done + failed} flagged={flagged} failed={failed} running={running} />;
}

function timeFigure(experiment: ExperimentDetail, left: TimeLeft | null): KeyFigure {
  const { status, startedAt, finishedAt, runs } = experiment;
  const median = medianRunMs(runs);
  const ofMedian = median === null ? '' : `, median run ${formatDuration(median)}`;
  if (isFinished(status)) {
    const took = startedAt === null || finishedAt === null ? null : finishedAt - startedAt;
    return { label: `Took${ofMedian}`, value: took === null ? '–' : formatDuration(took), grow: 2 };
  }
  const label = median === null ? 'Time left, estimated' : `Time left, median run ${formatDuration(median)}`;
  if (left) {
    return {
      label,
      value: formatDuration(left.leftMs),
      note: `done ${formatTimeOfDay(left.finishesAt)}`,
      grow: 2,
    };
  }
  const position = experiment.queuePosition;
  const waits = status === 'queued' && position !== null && position > 0;
  return {
    label,
    value: '–',
    note: waits ? `${position} ahead of it` : status === 'paused' ? 'paused' : 'not known yet',
    grow: 2,
  };
}

/** Counts of valid and other runs. */
function Validity({ experiment }: { experiment: ExperimentDetail }): ReactElement {
  const { valid, flagged, failed } = countValidity(experiment);
  const { retried, cancelled } = experiment.progress;
  return (
    <span className={styles.validity}>
      {(valid > 0 || flagged + failed === 0) && (
        <StatusLine kind="valid">
          <span className={styles.valid}>{formatCount(valid)} unflagged</span>
        </StatusLine>
      )}
      {flagged > 0 && <StatusLine kind="flagged">{formatCount(flagged)} flagged</StatusLine>}
      {failed > 0 && <StatusLine kind="failed">{formatCount(failed)} failed</StatusLine>}
      {retried > 0 && <StatusLine kind="retried">{formatCount(retried)} retried</StatusLine>}
      {cancelled > 0 && <StatusLine kind="cancelled">{formatCount(cancelled)} cancelled</StatusLine>}
    </span>
  );
}

/** The key figures in two lines. */
export function PhoneProgress({ experiment, left }: ExperimentFiguresProps): ReactElement {
  const { progress, startedAt, finishedAt } = experiment;
  return (
    <Panel>
      <div className={styles.phoneProgress}>
        <div className={styles.line}>
          <span>
            <b>{formatCount(progress.done)}</b> of {formatCount(progress.trials)} trials
          </span>
          {left && (
            <span>
              <b>{formatDuration(left.leftMs)}</b> left, done {formatTimeOfDay(left.finishesAt)}
            </span>
          )}
          {!left && startedAt !== null && finishedAt !== null && (
            <span>
              took <b>{formatDuration(finishedAt - startedAt)}</b>
            </span>
          )}
        </div>
        <ExperimentBar experiment={experiment} />
        <Validity experiment={experiment} />
      </div>
    </Panel>
  );
}

/** Returns the median duration of finished runs in ms; null if there is none. */
export function medianRunMs(runs: readonly RunRow[]): number | null {
  const durations = runs.flatMap(({ status, startedAt, finishedAt }) =>
    status === 'done' && startedAt !== null && finishedAt !== null ? [finishedAt - startedAt] : [],
  );
  return quantile(durations, 0.5);
}
