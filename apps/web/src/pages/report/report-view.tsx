import type { Block } from '@mqttlab/charts/document/blocks';
import { describeWhen } from '@mqttlab/charts/document/document-html';
import { makeDocument } from '@mqttlab/charts/document/make-document';
import { pagePalette, printPalette } from '@mqttlab/charts/drawing/palette';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { type ReactElement, useMemo } from 'react';
import { FigureSourceContext } from '../../charts/panels/figure-source.ts';
import { AlteredNotice } from '../../ui/altered-notice.tsx';
import { experimentCode } from '../../ui/format.ts';
import { BlockView } from './block-view.tsx';
import styles from './report.module.css';

/** The document beside its table of contents. */
export function ReportView({ report }: { report: Report }): ReactElement {
  const blocks = useMemo(() => makeDocument(report, pagePalette), [report]);
  const headings = blocks.filter((block) => block.kind === 'heading');
  /** The same figure in ink on white, for files. */
  const drawForPrint = (number: number) => {
    const figure = makeDocument(report, printPalette).find(
      (block) => block.kind === 'figure' && block.number === number,
    );
    return figure?.kind === 'figure' ? figure.picture : null;
  };
  const { id, imported, name, question } = report.experiment;
  const { used, flagged, takesFlagged } = report.validity;
  const source = {
    experiment: `${experimentCode(id)} ${name}`,
    valid: takesFlagged ? used - flagged : used,
    flagged,
    software: report.software,
  };
  return (
    <div className={styles.layout} data-printed-alone>
      <nav className={styles.contents} aria-label="Sections of the report">
        <ol>
          {headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ol>
      </nav>
      <article className={styles.document}>
        <header>
          <h2 className={styles.title}>{name}</h2>
          <p className={styles.when}>{describeWhen(report)}</p>
          {imported && (
            <p className={styles.note}>Imported from {imported.from}; nothing of it was run here.</p>
          )}
          {question && <p className={styles.question}>{question}</p>}
        </header>
        <AlteredNotice altered={imported?.altered} />
        <FigureSourceContext value={source}>
          {blocks.map((block, index) => (
            <BlockView key={keyOf(block, index)} block={block} drawForPrint={drawForPrint} />
          ))}
        </FigureSourceContext>
      </article>
    </div>
  );
}

function keyOf(block: Block, index: number): string {
  return `${block.kind} ${index}`;
}
