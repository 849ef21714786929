import type { ClaimResult } from '@mqttlab/shared/domain/report/claims';
import type { Picture } from '../drawing/svg.ts';
import type { DocumentTable } from '../table.ts';

/** A part of a report, on the page and in files. */
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
      /**
       * Whether the table is collapsed on screen. A detail is printed; a table that needs several pages is
       * not.
       */
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

/** Height divided by width above which a figure is not reduced to half a printed page. */
const tallest = 0.95;

export function isTall({ width, height }: Picture): boolean {
  return height > tallest * width;
}

/** Returns the anchor of a heading, figure or table: "cpu-of-the-broker". */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** Maximum number of rows in a table that is expanded on screen, and in a table that is printed. */
const maxUnfolded = 30;
const maxPrinted = 120;

/** Numbers tables and figures as they are added. */
export class DocumentBuilder {
  readonly blocks: Block[] = [];
  #tables = 0;
  #figures = 0;
  readonly #ids = new Set<string>();
  /** Titles without values since the last heading, by reason. */
  readonly #gaps = new Map<string, { at: number; titles: string[] }>();

  /** Returns an id that is unique in the document. */
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

  /** Adds a note in place of a figure or table. Titles with the same reason share one note. */
  gap(title: string, reason = 'not measured in any included run'): void {
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
    const count = table.rows.length;
    const folded = count > maxPrinted ? 'long' : isDetail || count > maxUnfolded ? 'detail' : undefined;
    this.blocks.push({
      kind: 'table',
      id: this.#idOf(caption),
      number: this.#tables,
      caption,
      table,
      folded,
    });
  }

  /** Adds a figure, or a note if the picture is null. */
  figure(
    title: string,
    caption: string,
    /** Links point to `anchor` instead of the title. */
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
