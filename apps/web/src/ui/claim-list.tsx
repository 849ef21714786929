import { anchorOf } from '@mqttlab/charts/document/blocks';
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
  /** Anchor prefix for a claim's figures and tables; absent if they are not on this page. */
  prefixOf?: (claim: ClaimResult) => string;
};

/** The board of claims, with each statement, the answer from these runs, and one sentence with figures. */
export function ClaimList({ claims, prefixOf }: ClaimListProps): ReactElement {
  return (
    <ol className={styles.claims} aria-label="Claims of the study">
      {claims.map((claim) => {
        const { id, says, line, answer, sentence, see, lines } = claim;
        const { icon: AnswerIcon, word } = looks[answer];
        // Without comparisons, the part may be missing from the page.
        const titles = prefixOf && lines.length > 0 ? see : [];
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
              {sentence}
              {titles.map((title) => (
                <span key={title} className={styles.see}>
                  {' '}
                  <a href={`#${prefixOf?.(claim) ?? ''}${anchorOf(title)}`}>{title}</a>
                </span>
              ))}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
