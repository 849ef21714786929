import { fixTextWidths, framePicture, type Provenance, withProvenance } from '@mqttlab/charts/drawing/export';
import type { Palette } from '@mqttlab/charts/drawing/palette';
import { figureFont, type Picture, toSvgText } from '@mqttlab/charts/drawing/svg';
import { type DocumentTable, toCsv } from '@mqttlab/charts/table';
import { call } from '../../api/client.ts';
import { paintNodes } from '../canvas/paint-nodes.ts';
import { downloadBlob } from './download.ts';
import type { FigureSource } from './figure-source.ts';

/** Width of both columns of an A4 page. */
const columnWidthMm = 170;
const mmPerInch = 25.4;
/** Resolution of a PNG at the width of a printed page. */
const dotsPerInch = 300;
/** Minimum pixels of a PNG for each CSS pixel. */
const minScale = 2;

export type FigureFormat = 'png' | 'svg' | 'csv';

export type SavedFigure = {
  /** File name without extension. */
  fileName: string;
  title?: string;
  subtitle?: string;
  table: DocumentTable;
  palette: Palette;
  source: FigureSource | null;
  /** Draws the figure; called for pictures only. */
  pictureOf(): Picture;
};

/** Downloads a figure with its experiment, run counts, version and date. */
export async function saveFigure(format: FigureFormat, figure: SavedFigure): Promise<void> {
  const { fileName, table, palette, title, subtitle } = figure;
  const provenance = await provenanceOf(figure.source);
  const save = (blob: Blob) => downloadBlob(blob, `${fileName}.${format}`);
  if (format === 'csv') {
    save(new Blob([toCsv(withProvenance(table, provenance))], { type: 'text/csv;charset=utf-8' }));
    return;
  }
  const picture = framePicture(figure.pictureOf(), {
    palette,
    provenance,
    ...(title ? { title } : {}),
    ...(subtitle ? { subtitle } : {}),
  });
  if (format === 'png') save(await pngOf(picture));
  else {
    const text = toSvgText(fixTextWidths(picture), { widthMm: columnWidthMm });
    save(new Blob([text], { type: 'image/svg+xml' }));
  }
}

async function provenanceOf(source: FigureSource | null): Promise<Provenance> {
  const { software, ...rest } = source ?? {};
  // The reader of a share link may lack the permission to read the version.
  const version = async () => (await call('GET /version').catch(() => null))?.version ?? '';
  return {
    ...rest,
    software: software ?? `mqttlab ${await version()}`.trim(),
    date: new Date().toISOString().slice(0, 10),
  };
}

async function pngOf(picture: Picture): Promise<Blob> {
  await document.fonts.ready;
  const scale = Math.max(minScale, ((columnWidthMm / mmPerInch) * dotsPerInch) / picture.width);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const ctx = canvas.getContext('2d');
  if (!ctx) throw new Error('this browser offers no 2D canvas');
  ctx.scale(scale, scale);
  paintNodes(ctx, picture.nodes, figureFont);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is empty'))), 'image/png');
  });
}
