import { authorshipWords } from '@mqttlab/shared/domain/authorship';
import type { ClaimResult } from '@mqttlab/shared/domain/report/claims';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { noticesOf } from '@mqttlab/shared/domain/runs/import-marks';
import { formatCount, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { printPalette } from '../drawing/palette.ts';
import { escapeXml, toSvgText } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import type { Cell, DocumentTable, TableColumn } from '../table.ts';
import { type Block, isTall } from './blocks.ts';
import { makeDocument } from './make-document.ts';

/** Returns the report as one self-contained HTML file, without scripts, fonts or external images. */
export function makeDocumentHtml(report: Report): string {
  return [...documentHtmlParts(report, makeDocument(report, printPalette))].join('');
}

/** Generates the same HTML, block by block. */
export function* documentHtmlParts(report: Report, blocks: readonly Block[]): Generator<string> {
  const { experiment } = report;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${escapeXml(report.software)}">
<title>${escapeXml(experiment.name)}</title>
<style>${documentCss}</style>
</head>
<body>
<main>
<h1>${escapeXml(experiment.name)}</h1>
<p class="sub">${escapeXml(describeWhen(report))}</p>
${experiment.authorship ? `<p class="sub">${escapeXml(authorshipWords(experiment.authorship))}</p>` : ''}
${experiment.question ? `<p class="question">${escapeXml(experiment.question)}</p>` : ''}
`;
  for (const block of blocks) yield `${blockHtml(block)}\n`;
  yield `</main>
</body>
</html>
`;
}

/** Returns "E-12 on testbed local, 2026-11-21 22:00 to 22:12 UTC". */
export function describeWhen({ experiment }: Report): string {
  const { id, testbedId, startedAt, finishedAt, imported } = experiment;
  const at = (time: number | null) =>
    time === null ? null : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const span = [at(startedAt), at(finishedAt)].filter((time) => time !== null).join(' to ');
  const notices = noticesOf(imported).map(({ sentence }) => `. ${sentence}`);
  const origin = imported ? `; imported from ${imported.from}${notices.join('')}` : '';
  const place = imported?.foreign ? '' : ` on testbed ${testbedId}`;
  return `E-${id}${place}${span ? `, ${span}` : ''}${origin}`;
}

function blockHtml(block: Block): string {
  if (block.kind === 'heading') return `<h2 id="${escapeXml(block.id)}">${escapeXml(block.text)}</h2>`;
  if (block.kind === 'paragraph') return `<p>${escapeXml(block.text)}</p>`;
  if (block.kind === 'note') return `<p class="note">${escapeXml(block.text)}</p>`;
  if (block.kind === 'list') {
    return `<ul>${block.items.map((item) => `<li>${escapeXml(item)}</li>`).join('')}</ul>`;
  }
  if (block.kind === 'findings') {
    const items = block.items.map(
      ({ text, isResolved }) => `<li${isResolved ? ' class="resolved"' : ''}>${escapeXml(text)}</li>`,
    );
    return `<ul class="findings">${items.join('')}</ul>`;
  }
  if (block.kind === 'claims') return claimsHtml(block.claims);
  if (block.kind === 'table') {
    const caption = `Table ${block.number}. ${block.caption}`;
    return block.folded
      ? `<details class="${block.folded}"><summary>${escapeXml(caption)}</summary>${tableHtml(block.table)}</details>`
      : tableHtml(block.table, caption);
  }
  return `<figure${isTall(block.picture) ? ' class="tall"' : ''}><div class="drawing">${toSvgText(block.picture)}</div><figcaption><b>Figure ${block.number}. ${escapeXml(block.title)}.</b> ${escapeXml(block.caption)}</figcaption><details><summary>Data of figure ${block.number}</summary>${tableHtml(block.table)}</details></figure>`;
}

function claimsHtml(claims: readonly ClaimResult[]): string {
  const items = claims.map(
    ({ id, says, line, answer, sentence }) =>
      `<li class="${answer.replace(' ', '-')}"><p><b>${id}</b> <span class="answer">${answer}</span> ${escapeXml(says)} <span class="line">(line ${line})</span></p><p>${escapeXml(sentence)}</p></li>`,
  );
  return `<ol class="claims">${items.join('')}</ol>`;
}

function tableHtml(table: DocumentTable, caption?: string): string {
  const { columns, rows } = table;
  const classes = columnKinds(table).map((kind, index) =>
    kind === 'text' ? ` style="min-width: ${wordRoom(table, index)}"` : ` class="${kind}"`,
  );
  const head = columns.map(
    (column, index) => `<th scope="col"${classes[index]}>${escapeXml(headText(column))}</th>`,
  );
  const body = rows.map(
    (row) =>
      `<tr>${row
        .map((cell, index) => `<td${classes[index]}>${escapeXml(cellText(cell, columns[index]))}</td>`)
        .join('')}</tr>`,
  );
  const title = caption ? `<p class="caption">${escapeXml(caption)}</p>` : '';
  return `${title}<div class="scroll"><table${caption ? ` aria-label="${escapeXml(caption)}"` : ''}><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** Length in characters above which a text needs a wide column. */
const longText = 36;
/** Maximum width of an unbroken word, in em. */
const maxRoom = 14;

/** Returns the kind of each column. Numbers are aligned right, sentences have a minimum width. */
export function columnKinds({ columns, rows }: DocumentTable): ('number' | 'sentence' | 'text')[] {
  return columns.map(({ isFigures }, index) => {
    const words = rows.flatMap((row) => (typeof row[index] === 'string' ? [String(row[index])] : []));
    if (words.length === 0 || isFigures) return 'number';
    return words.some(({ length }) => length > longText) ? 'sentence' : 'text';
  });
}

/**
 * Returns the minimum width of a text column: that of its longest word, so that names break only at spaces.
 */
export function wordRoom({ rows }: DocumentTable, index: number): string {
  const words = rows.flatMap((row) => (typeof row[index] === 'string' ? row[index].split(' ') : []));
  const widest = Math.max(0, ...words.map((word) => textWidth(word, { size: 1 })));
  return `calc(${(Math.min(maxRoom, widest) * 1.16).toFixed(1)}em + 10px)`;
}

export function headText({ head, unit }: TableColumn): string {
  return unit ? `${head}, ${unit}` : head;
}

export function cellText(cell: Cell | undefined, column: TableColumn | undefined): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  // A non-breaking space keeps a number and its unit together.
  if (typeof cell === 'string') return cell.replace(/(\d) (?=[^\d\s]{1,4}(?:$|[ ,;)]))/g, '$1\u00a0');
  if (column?.format) return column.format(cell);
  return Number.isInteger(cell) && Math.abs(cell) < 1e6 ? formatCount(cell) : formatNumber(cell, 4);
}

/** Styles of the file, which looks like a page of a paper on screen and on A4. */
const documentCss = `
:root { color-scheme: light; --ink: #14181d; --ink-2: #47505b; --ink-3: #626c78; --line: #e3e6ea; --accent: #3b46b4; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 14px/1.55 'Inter Variable', Inter, 'Helvetica Neue', Arial, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 40px 24px 80px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 40px 0 10px; padding-top: 12px; border-top: 1px solid var(--line); }
p { margin: 8px 0; max-width: 74ch; }
.sub { color: var(--ink-3); }
.question { font-size: 16px; color: var(--ink-2); }
ul { margin: 8px 0; padding-left: 20px; max-width: 78ch; }
li { margin: 5px 0; }
ol.claims { list-style: none; padding: 0; }
ol.claims li { padding: 6px 0 6px 14px; border-left: 3px solid var(--line); break-inside: avoid; }
ol.claims li p { margin: 2px 0; }
ol.claims .answer { font-weight: 600; }
ol.claims .line { opacity: 0.7; }
ul.findings { list-style: none; padding: 0; }
ul.findings li { padding-left: 14px; border-left: 3px solid var(--line); }
ul.findings li.resolved { border-left-color: var(--accent); }
.note { border-left: 3px solid #e4c983; padding: 6px 12px; background: #fbf2dd; }
figure { margin: 22px 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; display: block; }
figcaption, .caption { color: var(--ink-2); font-size: 12.5px; line-height: 1.45; max-width: 90ch; }
figcaption { padding: 8px 0; }
.caption { margin: 18px 0 6px; break-after: avoid; break-inside: avoid; }
table { border-collapse: collapse; width: 100%; font-size: 12.5px; line-height: 1.4; font-variant-numeric: tabular-nums; margin: 0 0 18px; }
th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { border-bottom: 1.5px solid var(--ink); font-weight: 600; }
thead th { vertical-align: bottom; }
.number { text-align: right; padding-right: 18px; }
td.number { white-space: nowrap; }
.sentence { min-width: 240px; }
details summary { color: var(--ink-3); cursor: pointer; font-size: 12.5px; }
.scroll { overflow-x: auto; }
.drawing { overflow-x: auto; }
@media screen and (max-width: 700px) { main { padding: 20px 16px 48px; } figure svg { min-width: 720px; } }
@page { size: A4; margin: 18mm 16mm; }
@media print { main { padding: 0; max-width: none; } body { font-size: 10.5pt; } figure details { display: none; } figure svg { max-height: 104mm; } figure.tall svg { max-height: 232mm; } figcaption { break-before: avoid; } .scroll { overflow: visible; } li { break-inside: avoid; } summary { list-style: none; } .long > summary::after { content: ' Not printed: open it in the file.'; } .detail::details-content { content-visibility: visible; height: auto; } h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; } }
`;
