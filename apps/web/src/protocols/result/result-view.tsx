import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import { pagePalette, printPalette } from '@mqttlab/shared/figures/palette';
import { makeStudyDocument } from '@mqttlab/shared/figures/studies/make-study-document';
import type { StudyInput } from '@mqttlab/shared/figures/studies/study-input';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { BlockView } from '../../report/block-view.tsx';
import report from '../../report/report.module.css';
import styles from './result-view.module.css';

export type ResultViewProps = Omit<StudyInput, 'palette'> & { experiment: ExperimentDetail };

/** The document of one part, and where its other parts stand. */
export function ResultView({ experiment, ...input }: ResultViewProps): ReactElement {
  const { protocol, origin } = input;
  const blocks = makeStudyDocument({ ...input, palette: pagePalette });
  /** The same figure in ink on white, for files. */
  const drawForPrint = (number: number) => {
    const figure = makeStudyDocument({ ...input, palette: printPalette }).find(
      (block) => block.kind === 'figure' && block.number === number,
    );
    return figure?.kind === 'figure' ? figure.picture : null;
  };
  return (
    <article className={`${report.document} ${styles.document}`}>
      <header>
        <h2 className={report.title}>{protocol.title}</h2>
        <p className={report.when}>
          {protocol.citation} · E-{experiment.id} on testbed {experiment.testbedId}, scale {origin.scale}
        </p>
        <p className={report.question}>{experiment.question}</p>
      </header>
      {blocks.map((block, index) => (
        <BlockView key={`${block.kind} ${String(index)}`} block={block} drawForPrint={drawForPrint} />
      ))}
      <h3 className={report.heading}>Other parts of the study</h3>
      <OtherParts protocol={protocol} origin={origin} />
    </article>
  );
}

function OtherParts({ protocol, origin }: Pick<ResultViewProps, 'protocol' | 'origin'>): ReactElement {
  const others = protocol.parts.filter(({ id }) => id !== origin.partId);
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
              An experiment of its own: <Link to="/protocols">open it from the gallery</Link>.
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
