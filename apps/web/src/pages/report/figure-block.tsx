import type { Block } from '@mqttlab/charts/document/blocks';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import type { Picture } from '@mqttlab/charts/drawing/svg';
import { type ReactElement, useState } from 'react';
import { fileNameFrom } from '../../charts/panels/download.ts';
import { FigureTools } from '../../charts/panels/figure-tools.tsx';
import { PictureView } from '../../charts/picture-view.tsx';
import { OverflowRegion } from '../../ui/data-table.tsx';
import { DocumentTableView } from './document-table-view.tsx';
import styles from './report.module.css';

export type FigureBlockProps = {
  figure: Extract<Block, { kind: 'figure' }>;
  /** The picture of a number in ink on white. */
  drawForPrint(number: number): Picture | null;
  numberPrefix?: string;
};

/** A figure with its caption, the numbers behind it, and its files. */
export function FigureBlock({ figure, drawForPrint, numberPrefix = '' }: FigureBlockProps): ReactElement {
  const { id, number, title, caption, picture, table } = figure;
  const [showsTable, setShowsTable] = useState(false);
  const saved = {
    fileName: fileNameFrom(`figure ${numberPrefix}${number} ${title}`),
    table,
    palette: printPalette,
    pictureOf: () => drawForPrint(number) ?? picture,
  };
  return (
    <figure className={styles.figure} id={`${numberPrefix}${id}`}>
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
          <DocumentTableView table={table} caption={`The numbers behind figure ${numberPrefix}${number}`} />
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
