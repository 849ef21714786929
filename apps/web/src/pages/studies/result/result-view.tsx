import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import report from '../../report/report.module.css';
import { PartDocument, type PartDocumentProps } from './part-document.tsx';
import styles from './result-view.module.css';

export type ResultViewProps = { input: PartDocumentProps['input']; experiment: ExperimentDetail };

/** The document of one part, and where its other parts stand. */
export function ResultView({ input, experiment }: ResultViewProps): ReactElement {
  const { study, origin } = input;
  return (
    <article className={`${report.document} ${styles.document}`}>
      <header>
        <h2 className={report.title}>{study.title}</h2>
        <p className={report.when}>
          {study.citation ? `${study.citation} · ` : ''}E-{experiment.id} on testbed {experiment.testbedId},
          scale {origin.scale}
        </p>
        <p className={report.question}>{experiment.question}</p>
      </header>
      <PartDocument input={input} />
      <h3 className={report.heading}>Other parts of the study</h3>
      <OtherParts study={study} origin={origin} />
    </article>
  );
}

function OtherParts({ study, origin }: Pick<PartDocumentProps['input'], 'study' | 'origin'>): ReactElement {
  const others = study.parts.filter(({ id }) => id !== origin.partId);
  if (others.length === 0) return <p className={report.paragraph}>This part is the whole study.</p>;
  return (
    <ul className={styles.parts}>
      {others.map(({ id, title, plan, gaps }) => (
        <li key={id} data-gap={plan === null || undefined}>
          <b>
            {id} {title}
          </b>
          {plan === null ? (
            <ul>
              {gaps.map(({ what, reason }) => (
                <li key={what}>
                  Gap: {what}: {reason}.
                </li>
              ))}
            </ul>
          ) : (
            <p>
              An experiment of its own: <Link to="/studies">run all parts from the gallery</Link> for one page
              of them.
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
