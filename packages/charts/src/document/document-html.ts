import type { ClaimResult } from '@mqttlab/shared/domain/report/claims';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { alteredWords } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { printPalette } from '../drawing/palette.ts';
import { escapeXml, toSvgText } from '../drawing/svg.ts';
import { textWidth } from '../drawing/text-width.ts';
import type { Cell, DocumentTable, TableColumn } from '../table.ts';
import type { Block } from './blocks.ts';
import { documentCss } from './document-css.ts';
import { makeDocument } from './make-document.ts';

/** The report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere. */
export function makeDocumentHtml(report: Report): string {
  return [...documentHtmlParts(report, makeDocument(report, printPalette))].join('');
}

/** The same a block at a time. */
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
${experiment.question ? `<p class="question">${escapeXml(experiment.question)}</p>` : ''}
`;
  for (const block of blocks) yield `${blockHtml(block)}\n`;
  yield `</main>
</body>
</html>
`;
}

/** "E-12 on testbed local, 2026-11-21 22:00 to 22:12 UTC". */
export function describeWhen({ experiment }: Report): string {
  const { id, testbedId, startedAt, finishedAt, imported } = experiment;
  const at = (time: number | null) =>
    time === null ? null : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const span = [at(startedAt), at(finishedAt)].filter((time) => time !== null).join(' to ');
  const altered = imported?.altered ? `. ${alteredWords(imported.altered)}` : '';
  const origin = imported ? `; imported from ${imported.from}${altered}` : '';
  return `E-${id} on testbed ${testbedId}${span ? `, ${span}` : ''}${origin}`;
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
  return `<figure><div class="drawing">${toSvgText(block.picture)}</div><figcaption><b>Figure ${block.number}. ${escapeXml(block.title)}.</b> ${escapeXml(block.caption)}</figcaption><details><summary>The numbers behind figure ${block.number}</summary>${tableHtml(block.table)}</details></figure>`;
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

/** More letters than a narrow column can hold. */
const longText = 36;
/** em; a word beyond may be broken. */
const maxRoom = 14;

/** How each column is set: figures at the right, sentences with room to read. */
export function columnKinds({ columns, rows }: DocumentTable): ('number' | 'sentence' | 'text')[] {
  return columns.map(({ isFigures }, index) => {
    const words = rows.flatMap((row) => (typeof row[index] === 'string' ? [String(row[index])] : []));
    if (words.length === 0 || isFigures) return 'number';
    return words.some(({ length }) => length > longText) ? 'sentence' : 'text';
  });
}

/** Least width of a column of words: room for its longest, so that names break at spaces, not at their hyphens. */
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
  // A number stays with its unit.
  if (typeof cell === 'string') return cell.replace(/(\d) (?=[^\d\s]{1,4}(?:$|[ ,;)]))/g, '$1\u00a0');
  if (column?.format) return column.format(cell);
  return Number.isInteger(cell) && Math.abs(cell) < 1e6 ? formatCount(cell) : formatNumber(cell, 4);
}
