import type { StudyRun } from '@mqttlab/shared/messages/studies';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { useStudyRuns } from '../study-calls.ts';
import styles from './study-runs-panel.module.css';

const shown = 6;

/** The last studies that were run as a whole; nothing before the first. */
export function StudyRunsPanel(): ReactElement | null {
  const runs = useStudyRuns().data ?? [];
  if (runs.length === 0) return null;
  return (
    <Panel title="Study runs" subtitle="every part on one page" flush>
      <ul className={styles.runs}>
        {runs.slice(0, shown).map((run) => (
          <li key={run.id}>
            <Link className={styles.link} to={`/studies/runs/${run.id}`}>
              {run.title}
            </Link>
            <span className={styles.scale}>{run.scale}</span>
            <span className={styles.count}>{countOf(run)}</span>
            <StatusLine kind={run.status} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function countOf({ parts }: StudyRun): string {
  const known = parts.flatMap(({ progress }) => progress ?? []);
  const sum = (pick: (one: (typeof known)[number]) => number) =>
    known.reduce((total, one) => total + pick(one), 0);
  return `${sum(({ done }) => done)} of ${sum(({ trials }) => trials)} runs in ${known.length} ${known.length === 1 ? 'part' : 'parts'}`;
}
