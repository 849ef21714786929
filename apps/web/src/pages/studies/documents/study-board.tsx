import { Button } from '@mantine/core';
import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import { boardWords, intervalWords } from '@mqttlab/studies/claims/board';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { ClaimList } from '../../../ui/claim-list.tsx';
import report from '../../report/report.module.css';
import styles from './study-board.module.css';

type StudyBoardProps = {
  board: ClaimBoard;
  /** Called to repeat parts; absent on read-only pages. */
  onRunAgain?: (parts: string[]) => void;
  isStarting?: boolean;
};

/** The claims of the study, judged by these runs, and missing data for open claims. */
export function StudyBoard({ board, onRunAgain, isStarting = false }: StudyBoardProps): ReactElement | null {
  const { claims, missing } = board;
  if (claims.length === 0) return null;
  return (
    <section className={styles.board} aria-label="Claims">
      <h3 className={report.heading}>Claims: {boardWords(board)}</h3>
      <p className={report.paragraph}>{intervalWords}</p>
      <ClaimList claims={claims} prefixOf={({ part }) => `${part}.`} />
      {missing.length > 0 && (
        <div className={styles.missing}>
          <p>Data missing for open claims:</p>
          <ul>
            {missing.map(({ part, title, reason }) => (
              <li key={part}>
                Part {part}, {title}: {reason}.
              </li>
            ))}
          </ul>
          {onRunAgain && (
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} stroke={2} aria-hidden />}
              loading={isStarting}
              onClick={() => onRunAgain(missing.map(({ part }) => part))}
            >
              Run {missing.length === 1 ? 'this part' : 'these parts'} again
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
