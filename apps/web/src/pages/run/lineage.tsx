import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import styles from './lineage.module.css';

export type LineageProps = {
  run: RunDetail;
  retriedBy: number | null;
  /** Names the runs without leading to them. */
  readOnly?: boolean;
};

/** The run that this one tries again, and the one that tried it again: nothing is overwritten. */
export function Lineage({ run, retriedBy, readOnly = false }: LineageProps): ReactElement | null {
  if (run.retryOf === null && retriedBy === null) return null;
  const name = (id: number) =>
    readOnly ? (
      `run ${id}`
    ) : (
      <Link className="link" to={`/experiments/${run.experimentId}/runs/${id}`}>
        run {id}
      </Link>
    );
  return (
    <p className={styles.lineage}>
      <IconRefresh size={14} stroke={2.2} aria-hidden />
      <span>
        {run.retryOf !== null && <>Retry of {name(run.retryOf)}. </>}
        {retriedBy !== null && (
          <>Tried again as {name(retriedBy)}, which counts instead. Nothing of this run was overwritten.</>
        )}
      </span>
    </p>
  );
}
