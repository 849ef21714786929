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

/** The numbers of a figure, or a table. */
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
  | { kind: 'note'; text: string; ids?: readonly string[] }
  | { kind: 'claims'; claims: readonly ClaimResult[] }
  | {
      kind: 'table';
      id: string;
      number: number;
      caption: string;
      table: DocumentTable;
      /** Closed until a reader opens it: a detail is printed, a long table is not. */
      folded?: 'detail' | 'long' | undefined;
    }
  | {
      kind: 'figure';
      id: string;
      number: number;
      title: string;
      caption: string;
      picture: Picture;
      table: DocumentTable;
    };

/** The part of an address that leads to a heading, figure or table: "cpu-of-the-broker". */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** Numbers tables and figures as they are added. */
export class DocumentBuilder {
  readonly blocks: Block[] = [];
  #tables = 0;
  #figures = 0;
  readonly #ids = new Set<string>();
  /** Titles without values since the last heading, by the reason. */
  readonly #gaps = new Map<string, { at: number; titles: string[] }>();

  /** Unique in the document. */
  #idOf(title: string): string {
    const anchor = anchorOf(title);
    let id = anchor;
    for (let count = 2; this.#ids.has(id); count += 1) id = `${anchor}-${count}`;
    this.#ids.add(id);
    return id;
  }

  heading(text: string): void {
    this.#gaps.clear();
    this.blocks.push({ kind: 'heading', text, id: this.#idOf(text) });
  }

  paragraph(text: string): void {
    if (text !== '') this.blocks.push({ kind: 'paragraph', text });
  }

  note(text: string): void {
    this.blocks.push({ kind: 'note', text });
  }

  /** A note in place of a figure or table. Several with the same reason share one note. */
  gap(title: string, reason = 'not measured in any run that counts'): void {
    const { at, titles } = this.#gaps.get(reason) ?? { at: this.blocks.length, titles: [] };
    titles.push(title);
    this.#gaps.set(reason, { at, titles });
    this.blocks[at] = {
      kind: 'note',
      text: `Gap: ${titles.join(', ')}: ${reason}.`,
      ids: titles.map(anchorOf),
    };
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

  table(caption: string, table: DocumentTable, { isDetail = false } = {}): void {
    if (table.rows.length === 0) return;
    this.#tables += 1;
    const folded = table.rows.length > 30 ? 'long' : isDetail ? 'detail' : undefined;
    this.blocks.push({
      kind: 'table',
      id: this.#idOf(caption),
      number: this.#tables,
      caption,
      table,
      folded,
    });
  }

  /** A picture of null has nothing to show: a note takes the place of an empty figure. */
  figure(
    title: string,
    caption: string,
    /** Links lead to `anchor` instead of the title. */
    { picture, table, anchor = title }: { picture: Picture | null; table: DocumentTable; anchor?: string },
  ): void {
    if (picture === null) {
      this.gap(title);
      return;
    }
    this.#figures += 1;
    const id = this.#idOf(anchor);
    this.blocks.push({ kind: 'figure', id, number: this.#figures, title, caption, picture, table });
  }
}
