import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { cellText, headText } from '@mqttlab/shared/figures/document/document-html';
import { type ReactElement, useMemo } from 'react';
import styles from './report.module.css';

/** A table as it stands in a paper: no sorting, no colours. */
export function DocumentTableView({
  table,
  caption,
}: {
  table: DocumentTable;
  caption: string;
}): ReactElement {
  const { columns, rows } = table;
  const isNumeric = useMemo(
    () => columns.map((_, index) => rows.every((row) => typeof row[index] !== 'string')),
    [columns, rows],
  );
  const keyed = useMemo(() => rows.map((cells, line) => ({ key: String(line), cells })), [rows]);
  return (
    <section className={styles.scroll} aria-label={caption}>
      <table className={styles.table}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={`${column.head} ${column.unit}`}
                scope="col"
                data-numeric={isNumeric[index] || undefined}
              >
                {headText(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed.map(({ key, cells }) => (
            <tr key={key}>
              {columns.map((column, index) => (
                <td key={`${column.head} ${column.unit}`} data-numeric={isNumeric[index] || undefined}>
                  {cellText(cells[index], column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
