import type { ClaimAnswer, ClaimResult } from '@mqttlab/shared/domain/report/claims';
import {
  type Icon,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './claim-list.module.css';

const looks: Readonly<Record<ClaimAnswer, { icon: Icon; word: string }>> = {
  agrees: { icon: IconCircleCheck, word: 'Agrees' },
  differs: { icon: IconCircleX, word: 'Differs' },
  open: { icon: IconCircleDashed, word: 'Open' },
  'not testable': { icon: IconCircleMinus, word: 'Not testable here' },
};

type ClaimListProps = {
  claims: readonly ClaimResult[];
  /** Where the figure or table of a claim is on this page; null if it is not on it. */
  hrefOf?: (claim: ClaimResult) => string | null;
};

/** The board: what a study says, the answer of these runs, and one sentence with figures. */
export function ClaimList({ claims, hrefOf = () => null }: ClaimListProps): ReactElement {
  return (
    <ol className={styles.claims} aria-label="Claims of the study">
      {claims.map((claim) => {
        const { id, says, line, answer, sentence, see } = claim;
        const { icon: AnswerIcon, word } = looks[answer];
        const href = hrefOf(claim);
        return (
          <li key={id} className={styles.claim} id={`claim-${id}`} data-answer={answer}>
            <span className={styles.id}>{id}</span>
            <span className={styles.answer}>
              <AnswerIcon size={16} stroke={2} aria-hidden /> {word}
            </span>
            <p className={styles.says}>
              {says} <span className={styles.line}>line {line}</span>
            </p>
            <p className={styles.sentence}>
              {sentence}{' '}
              {href !== null && see !== null && (
                <a className={styles.see} href={href}>
                  {see}
                </a>
              )}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
