import { documentHtmlParts, makeDocumentHtml } from '@mqttlab/charts/document/document-html';
import { makeDocument } from '@mqttlab/charts/document/make-document';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import { toSvgText } from '@mqttlab/charts/drawing/svg';
import type { Report } from '@mqttlab/shared/domain/report/report';

/** Columns of prose widths; figures are as wide as an A4 page. */
const figureWidthMm = 170;

interface ReportFile {
  /** In the bundle. */
  path: string;
  description: string;
  /** Media type. */
  format: string;
  parts: Iterable<string>;
}

/** The file of a report: numbers as JSON, or a document as HTML. */
export function makeReportFile(report: Report, format: 'json' | 'html'): Uint8Array {
  if (format === 'html') return Buffer.from(makeDocumentHtml(report));
  return Buffer.concat(Array.from(reportJsonParts(report), (part) => Buffer.from(part)));
}

/** Every file that a bundle has of a report. */
export function* reportFiles(report: Report): Generator<ReportFile> {
  yield {
    path: 'report/report.json',
    description: 'The numbers of the report',
    format: 'application/json',
    parts: inBlocks(reportJsonParts(report)),
  };
  const blocks = makeDocument(report, printPalette);
  yield {
    path: 'report/report.html',
    description: 'The report, to read and to print',
    format: 'text/html',
    parts: inBlocks(documentHtmlParts(report, blocks)),
  };
  for (const block of blocks) {
    if (block.kind !== 'figure') continue;
    yield {
      path: `report/figures/figure-${String(block.number).padStart(2, '0')}.svg`,
      description: block.title,
      format: 'image/svg+xml',
      parts: [toSvgText(block.picture, { widthMm: figureWidthMm })],
    };
  }
}

const blockCharacters = 65_536;

/** The same text in parts that are worth compressing one by one. */
function* inBlocks(parts: Iterable<string>): Generator<string> {
  let block = '';
  for (const part of parts) {
    block += part;
    if (block.length < blockCharacters) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
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
