import type { StudyRunPart } from '@mqttlab/shared/messages/studies';
import type { ReactElement, ReactNode } from 'react';
import report from '../../report/report.module.css';
import styles from './part-section.module.css';

export type PartSectionProps = { part: StudyRunPart; children: ReactNode };

/** One part of a study run: what it left out, then its results; a part that was not run is a gap. */
export function PartSection({ part, children }: PartSectionProps): ReactElement {
  const { id, title, question, experimentId, leftOut } = part;
  return (
    <section className={styles.part} aria-label={`Part ${id}: ${title}`} id={`part-${id}`}>
      <h3 className={styles.title}>
        <span className={styles.letter}>{id}</span> {title}
      </h3>
      <p className={report.question}>{question}</p>
      {leftOut.length > 0 && (
        <details className={styles.leftOut} open={experimentId === null}>
          <summary>
            {experimentId === null ? 'Gap: not run, because' : `Left out on this testbed: ${leftOut.length}`}
          </summary>
          <ul>
            {leftOut.map(({ what, reason, remedy }) => (
              <li key={`${what} ${reason}`}>
                <b>{what}</b>: {reason}. {remedy}
              </li>
            ))}
          </ul>
        </details>
      )}
      {children}
    </section>
  );
}
