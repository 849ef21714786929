import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import type { TimeLeft } from '../../live/run-durations.ts';
import { formatDuration, formatTimeOfDay } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { ExperimentBar, Validity } from './experiment-figures.tsx';
import styles from './phone-progress.module.css';

/** The key figures in two lines. */
export function PhoneProgress({
  experiment,
  left,
}: {
  experiment: ExperimentDetail;
  left: TimeLeft | null;
}): ReactElement {
  const { progress, startedAt, finishedAt } = experiment;
  return (
    <Panel>
      <div className={styles.progress}>
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
