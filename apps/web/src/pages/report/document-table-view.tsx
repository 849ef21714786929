import { cellText, columnKinds, headText, wordRoom } from '@mqttlab/charts/document/document-html';
import type { DocumentTable } from '@mqttlab/charts/table';
import { type ReactElement, useId, useMemo } from 'react';
import { CopyTableMenu } from '../../charts/panels/copy-table-menu.tsx';
import { OverflowRegion } from '../../ui/data-table.tsx';
import styles from './report.module.css';

/**
 * A table in the style of a paper, without sorting and colours. The caption does not scroll with a wide
 * table.
 */
export function DocumentTableView({
  table,
  caption,
  anchor,
}: {
  table: DocumentTable;
  caption: string;
  /** Anchor for links to the table. */
  anchor?: string;
}): ReactElement {
  const { columns, rows } = table;
  const id = useId();
  const kinds = useMemo(() => columnKinds(table), [table]);
  const styleOf = useMemo(
    () =>
      columns.map((_, index) => (kinds[index] === 'text' ? { minWidth: wordRoom(table, index) } : undefined)),
    [columns, kinds, table],
  );
  const keyed = useMemo(() => rows.map((cells, line) => ({ key: String(line), cells })), [rows]);
  return (
    <section className={styles.tableBlock} aria-labelledby={id} id={anchor}>
      <div className={styles.captionLine}>
        <p className={styles.tableCaption} id={id}>
          {caption}
        </p>
        <span className={styles.tools}>
          <CopyTableMenu table={table} caption={caption} name={caption.split('. ')[0] ?? caption} />
        </span>
      </div>
      <OverflowRegion className={styles.scroll} label={caption}>
        <table className={styles.table} aria-labelledby={id}>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={`${column.head} ${column.unit}`} scope="col" data-kind={kinds[index]}>
                  {headText(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keyed.map(({ key, cells }) => (
              <tr key={key}>
                {columns.map((column, index) => (
                  <td key={`${column.head} ${column.unit}`} data-kind={kinds[index]} style={styleOf[index]}>
                    {cellText(cells[index], column)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </OverflowRegion>
    </section>
  );
}
