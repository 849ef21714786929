import type { Report } from '@mqttlab/shared/domain/report/report';
import { makeDocumentHtml } from '@mqttlab/shared/figures/document/document-html';
import { makeDocument } from '@mqttlab/shared/figures/document/make-document';
import { printPalette } from '@mqttlab/shared/figures/drawing/palette';
import { toSvgText } from '@mqttlab/shared/figures/drawing/svg';

/** Columns of prose widths; figures are as wide as an A4 page. */
const figureWidthMm = 170;

interface ReportFile {
  path: string;
  description: string;
  /** Media type. */
  format: string;
  content: Uint8Array;
}

type Head = Omit<ReportFile, 'content'> & { bytes: number };

/** The file of a report: numbers as JSON, or a document as HTML. */
export function makeReportFile(report: Report, format: 'json' | 'html'): Uint8Array {
  return Buffer.from(format === 'html' ? makeDocumentHtml(report) : `${JSON.stringify(report, null, 1)}\n`);
}

/**
 * Every file of a report in a bundle as one array of bytes, which a thread sends without a copy: the length of the
 * heads (4 bytes), the heads as JSON, then the contents.
 */
export function packReportFiles(report: Report): Uint8Array {
  const files: ReportFile[] = [
    {
      path: 'report/report.json',
      description: 'The numbers of the report',
      format: 'application/json',
      content: makeReportFile(report, 'json'),
    },
    {
      path: 'report/report.html',
      description: 'The report, to read and to print',
      format: 'text/html',
      content: makeReportFile(report, 'html'),
    },
  ];
  for (const block of makeDocument(report, printPalette)) {
    if (block.kind !== 'figure') continue;
    files.push({
      path: `report/figures/figure-${String(block.number).padStart(2, '0')}.svg`,
      description: block.title,
      format: 'image/svg+xml',
      content: Buffer.from(toSvgText(block.picture, { widthMm: figureWidthMm })),
    });
  }
  const heads: Head[] = files.map(({ content, ...head }) => ({ ...head, bytes: content.length }));
  const text = Buffer.from(JSON.stringify(heads));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...files.map(({ content }) => content)]);
}

/** Inverse of packReportFiles; contents are views of `packed`. */
export function unpackReportFiles(packed: Uint8Array): ReportFile[] {
  const buffer = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  let at = 4 + buffer.readUInt32BE(0);
  const heads = JSON.parse(buffer.toString('utf8', 4, at)) as Head[];
  return heads.map(({ bytes, ...head }) => {
    const content = buffer.subarray(at, at + bytes);
    at += bytes;
    return { ...head, content };
  });
}
