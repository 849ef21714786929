import type { ReactElement } from 'react';
import type { TrialCell, TrialState } from './datasets/progress-grid-data.ts';
import styles from './progress-grid.module.css';
import { TrialCellMark } from './trial-cell-mark.tsx';

const KEYS: readonly { state: TrialState; text: string; word: string }[] = [
  { state: 'done', text: '8.1', word: 'done' },
  { state: 'flagged', text: '', word: 'flagged' },
  { state: 'failed', text: '', word: 'failed' },
  { state: 'retried', text: '', word: 'retried' },
  { state: 'excluded', text: '', word: 'left out by hand' },
  { state: 'cancelled', text: '', word: 'cancelled' },
  { state: 'running', text: '', word: 'running' },
  { state: 'planned', text: '43', word: 'planned: its turn' },
];

/** The key under the grid: only the states that occur in it. */
export function ProgressGridLegend({ states }: { states: ReadonlySet<TrialState> }): ReactElement {
  return (
    <ul className={styles.legend} aria-label="Key">
      {KEYS.filter((key) => states.has(key.state)).map(({ state, text, word }) => {
        const cell: TrialCell = { state, text, detail: word, progress: 0.6 };
        return (
          <li key={state}>
            <span className={styles.key}>
              <TrialCellMark cell={cell} style={1} isSmall={state !== 'running'} />
            </span>
            {word}
          </li>
        );
      })}
    </ul>
  );
}
