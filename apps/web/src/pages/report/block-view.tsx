import { type Block, isTall } from '@mqttlab/charts/document/blocks';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import type { Picture } from '@mqttlab/charts/drawing/svg';
import { type ReactElement, useState } from 'react';
import { fileNameFrom } from '../../charts/panels/download.ts';
import { FigureTools } from '../../charts/panels/figure-tools.tsx';
import { PictureView } from '../../charts/picture-view.tsx';
import { ClaimList } from '../../ui/claim-list.tsx';
import { OverflowRegion } from '../../ui/data-table.tsx';
import { DocumentTableView } from './document-table-view.tsx';
import styles from './report.module.css';

type BlockViewProps = {
  block: Block;
  drawForPrint: Parameters<typeof FigureBlock>[0]['drawForPrint'];
  /** Prefix of table and figure numbers: "b.". */
  numberPrefix?: string;
  /** Figures and tables of claims are blocks of the same document. */
  linksClaims?: boolean;
};

/** A block of a document: a report or the results of a study. */
export function BlockView({
  block,
  drawForPrint,
  numberPrefix = '',
  linksClaims = false,
}: BlockViewProps): ReactElement {
  if (block.kind === 'heading') {
    return (
      <h3 id={`${numberPrefix}${block.id}`} className={styles.heading}>
        {block.text}
      </h3>
    );
  }
  if (block.kind === 'paragraph') return <p className={styles.paragraph}>{block.text}</p>;
  if (block.kind === 'note') {
    return (
      <p className={styles.note}>
        {block.ids?.map((id) => (
          <span key={id} id={`${numberPrefix}${id}`} />
        ))}
        {block.text}
      </p>
    );
  }
  if (block.kind === 'claims') {
    return <ClaimList claims={block.claims} {...(linksClaims ? { prefixOf: () => numberPrefix } : {})} />;
  }
  if (block.kind === 'findings') {
    return (
      <ul className={styles.findings}>
        {block.items.map(({ text, isResolved }) => (
          <li key={text} data-resolved={isResolved || undefined}>
            {text}
          </li>
        ))}
      </ul>
    );
  }
  if (block.kind === 'list') {
    return (
      <ul className={styles.list}>
        {block.items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    );
  }
  if (block.kind === 'figure') {
    return <FigureBlock figure={block} drawForPrint={drawForPrint} numberPrefix={numberPrefix} />;
  }
  const caption = `Table ${numberPrefix}${block.number}. ${block.caption}`;
  const table = (
    <DocumentTableView table={block.table} caption={caption} anchor={`${numberPrefix}${block.id}`} />
  );
  if (!block.folded) return table;
  return (
    <details className={styles[block.folded]}>
      <summary>{caption}</summary>
      {table}
    </details>
  );
}

type FigureBlockProps = {
  figure: Extract<Block, { kind: 'figure' }>;
  /** Returns the figure with a given number in black on white. */
  drawForPrint(number: number): Picture | null;
  numberPrefix?: string;
};

/** A figure with caption, data table and downloads. */
function FigureBlock({ figure, drawForPrint, numberPrefix = '' }: FigureBlockProps): ReactElement {
  const { id, number, title, caption, picture, table } = figure;
  const [showsTable, setShowsTable] = useState(false);
  const saved = {
    fileName: fileNameFrom(`figure ${numberPrefix}${number} ${title}`),
    table,
    palette: printPalette,
    pictureOf: () => drawForPrint(number) ?? picture,
  };
  return (
    <figure className={styles.figure} id={`${numberPrefix}${id}`} data-tall={isTall(picture) || undefined}>
      <div className={styles.tools}>
        <FigureTools
          figure={saved}
          caption={title}
          showsTable={showsTable}
          onToggleTable={() => setShowsTable(!showsTable)}
        />
      </div>
      {showsTable ? (
        <div className={styles.behind}>
          <DocumentTableView table={table} caption={`Data of figure ${numberPrefix}${number}`} />
        </div>
      ) : (
        <OverflowRegion className={styles.drawing} label={title}>
          <PictureView picture={picture} />
        </OverflowRegion>
      )}
      <figcaption className={styles.caption}>
        <b>
          Figure {numberPrefix}
          {number}. {title}.
        </b>{' '}
        {caption}
      </figcaption>
    </figure>
  );
}
