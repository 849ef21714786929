/** `rows`: newest first, and one more than a page has, if there are that many. */
export function pageOf<Row extends { id: number }>(
  rows: Row[],
  limit: number,
): { items: Row[]; next?: number } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, next: last.id } : { items };
}
