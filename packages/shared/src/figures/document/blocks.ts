import type { ClaimResult } from '../../domain/report/claims.ts';
import type { Picture } from '../drawing/svg.ts';

export type Cell = string | number | null;

export interface TableColumn {
  head: string;
  unit?: string;
  /** How a number is written on the page; files keep it whole. */
  format?: (value: number) => string;
  /** Its words are figures, such as "< 0.001": they stand at the right as numbers do. */
  isFigures?: boolean;
}

/** Columns by their heads, a unit beside its head: `columnsOf('Treatment', ['Duration', 'ms'])`; false leaves one out. */
export function columnsOf(
  ...heads: readonly (string | readonly [head: string, unit: string] | TableColumn | false)[]
): TableColumn[] {
  return heads.flatMap((column) => {
    if (column === false) return [];
    if (typeof column === 'string') return [{ head: column }];
    return 'head' in column ? [column] : [{ head: column[0], unit: column[1] }];
  });
}

/** Rows behind a figure, or a table of its own. */
export interface DocumentTable {
  columns: readonly TableColumn[];
  rows: readonly (readonly Cell[])[];
}

/** A column and the cell that a row has in it. */
export interface Column<Row> extends TableColumn {
  of: (row: Row) => Cell;
}

export function makeTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): DocumentTable {
  return {
    columns: columns.map(({ of: _, ...column }) => column),
    rows: rows.map((row) => columns.map(({ of }) => of(row))),
  };
}

/** A report as a sequence of parts: the page and the file draw the same ones. */
export type Block =
  | { kind: 'heading'; text: string; id: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'findings'; items: readonly { text: string; isResolved: boolean }[] }
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'note'; text: string }
  | { kind: 'claims'; claims: readonly ClaimResult[] }
  | { kind: 'table'; number: number; caption: string; table: DocumentTable; isLong: boolean }
  | {
      kind: 'figure';
      number: number;
      title: string;
      caption: string;
      picture: Picture;
      table: DocumentTable;
    };

/** Numbers tables and figures as they are added. */
export class DocumentBuilder {
  readonly blocks: Block[] = [];
  #tables = 0;
  #figures = 0;

  heading(text: string): void {
    const id = text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '');
    this.blocks.push({ kind: 'heading', text, id });
  }

  paragraph(text: string): void {
    if (text !== '') this.blocks.push({ kind: 'paragraph', text });
  }

  note(text: string): void {
    this.blocks.push({ kind: 'note', text });
  }

  claims(claims: readonly ClaimResult[]): void {
    if (claims.length > 0) this.blocks.push({ kind: 'claims', claims });
  }

  list(items: readonly string[]): void {
    if (items.length > 0) this.blocks.push({ kind: 'list', items });
  }

  findings(items: readonly { text: string; isResolved: boolean }[]): void {
    if (items.length > 0) this.blocks.push({ kind: 'findings', items });
  }

  table(caption: string, table: DocumentTable): void {
    if (table.rows.length === 0) return;
    this.#tables += 1;
    this.blocks.push({ kind: 'table', number: this.#tables, caption, table, isLong: table.rows.length > 30 });
  }

  /** A picture of null has nothing to show: a note takes the place of an empty figure. */
  figure(title: string, caption: string, drawn: { picture: Picture | null; table: DocumentTable }): void {
    const { picture, table } = drawn;
    if (picture === null) {
      this.note(`Gap: ${title}: not measured in any run that counts.`);
      return;
    }
    this.#figures += 1;
    this.blocks.push({ kind: 'figure', number: this.#figures, title, caption, picture, table });
  }
}
