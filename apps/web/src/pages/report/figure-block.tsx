import { notifications } from '@mantine/notifications';
import type { Block } from '@mqttlab/charts/document/blocks';
import { type Picture, toSvgText } from '@mqttlab/charts/drawing/svg';
import { toCsv } from '@mqttlab/charts/table';
import { IconFileTypeCsv, IconFileTypeSvg, IconPhoto, IconTable } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { columnWidthMm, downloadBlob, fileNameFrom, pngOf } from '../../charts/canvas/download.ts';
import { OverflowRegion } from '../../ui/data-table.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { DocumentTableView } from './document-table-view.tsx';
import { PictureView } from './picture-view.tsx';
import styles from './report.module.css';

const dotsPerInch = 300;
const mmPerInch = 25.4;

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
  const name = fileNameFrom(`figure ${numberPrefix}${number} ${title}`);
  const svgOf = () => toSvgText(drawForPrint(number) ?? picture, { widthMm: columnWidthMm });
  const saveSvg = () => downloadBlob(new Blob([svgOf()], { type: 'image/svg+xml' }), `${name}.svg`);
  const savePng = async () => {
    try {
      downloadBlob(await rasterise(drawForPrint(number) ?? picture), `${name}.png`);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown reason';
      notifications.show({ message: `No picture: ${why}. The SVG has the same drawing.` });
    }
  };
  const saveCsv = () =>
    downloadBlob(new Blob([toCsv(table)], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
  return (
    <figure className={styles.figure} id={`${numberPrefix}${id}`}>
      <div className={styles.tools}>
        <IconButton
          icon={IconTable}
          label={showsTable ? 'Show as a figure' : 'Show as a table'}
          pressed={showsTable}
          onClick={() => setShowsTable(!showsTable)}
        />
        <IconButton icon={IconFileTypeSvg} label="Save as SVG" onClick={saveSvg} />
        <IconButton icon={IconPhoto} label="Save as PNG" onClick={savePng} />
        <IconButton icon={IconFileTypeCsv} label="Save as CSV" onClick={saveCsv} />
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

/** A PNG of 300 dots per inch at the width of a printed page, on white. */
async function rasterise(picture: Picture): Promise<Blob> {
  const width = Math.round((columnWidthMm / mmPerInch) * dotsPerInch);
  const height = Math.round((width * picture.height) / picture.width);
  const address = URL.createObjectURL(new Blob([toSvgText(picture)], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser offers no 2D canvas');
    context.fillStyle = '#FFFFFF';
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    return await pngOf(canvas);
  } finally {
    URL.revokeObjectURL(address);
  }
}
