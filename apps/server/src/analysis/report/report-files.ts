import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { documentHtmlParts, makeDocumentHtml } from '@mqttlab/shared/figures/document/document-html';
import { makeDocument } from '@mqttlab/shared/figures/document/make-document';
import { printPalette } from '@mqttlab/shared/figures/drawing/palette';
import { toSvgText } from '@mqttlab/shared/figures/drawing/svg';

/** Columns of prose widths; figures are as wide as an A4 page. */
const figureWidthMm = 170;

export interface ReportFile {
  /** In the bundle. */
  path: string;
  description: string;
  /** Media type. */
  format: string;
  /** In the folder that it was written to. */
  name: string;
}

/** The file of a report: numbers as JSON, or a document as HTML. */
export function makeReportFile(report: Report, format: 'json' | 'html'): Uint8Array {
  if (format === 'html') return Buffer.from(makeDocumentHtml(report));
  return Buffer.concat(Array.from(reportJsonParts(report), (part) => Buffer.from(part)));
}

/** Writes every file that a bundle has of a report into a folder, a part at a time. */
export function writeReportFiles(report: Report, folder: string): ReportFile[] {
  const files: ReportFile[] = [];
  const write = (file: Omit<ReportFile, 'name'>, parts: Iterable<string>): void => {
    const name = String(files.length + 1);
    const handle = openSync(join(folder, name), 'wx', 0o600);
    try {
      for (const part of parts) writeSync(handle, part);
    } finally {
      closeSync(handle);
    }
    files.push({ ...file, name });
  };
  write(
    { path: 'report/report.json', description: 'The numbers of the report', format: 'application/json' },
    reportJsonParts(report),
  );
  const blocks = makeDocument(report, printPalette);
  write(
    { path: 'report/report.html', description: 'The report, to read and to print', format: 'text/html' },
    documentHtmlParts(report, blocks),
  );
  for (const block of blocks) {
    if (block.kind !== 'figure') continue;
    const path = `report/figures/figure-${String(block.number).padStart(2, '0')}.svg`;
    write({ path, description: block.title, format: 'image/svg+xml' }, [
      toSvgText(block.picture, { widthMm: figureWidthMm }),
    ]);
  }
  return files;
}

/** As JSON.stringify(report, null, 1) and a newline. Each part has one entry of a list: lists of thousands of runs are long. */
function* reportJsonParts(report: Report): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(report)) {
    yield `${before}\n ${JSON.stringify(name)}: `;
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, entry] of value.entries())
        yield `${index === 0 ? '[' : ','}\n  ${indented(entry, 2)}`;
      yield '\n ]';
    } else yield indented(value, 1);
    before = ',';
  }
  yield '\n}\n';
}

function indented(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 1).replaceAll('\n', `\n${' '.repeat(depth)}`);
}
