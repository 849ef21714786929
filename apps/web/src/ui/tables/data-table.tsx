import { Checkbox } from '@mantine/core';
import { type MouseEvent, type ReactElement, type ReactNode, useMemo, useState } from 'react';
import styles from './data-table.module.css';
import { DataTableHead } from './data-table-head.tsx';
import { OverflowRegion } from './overflow-region.tsx';
import { type SortDirection, type SortValue, sortRows } from './sort-rows.ts';
import { useRowFocus } from './use-row-focus.ts';

export type Column<Row> = {
  id: string;
  head: string;
  /** Written after the head: "Latency, ms". */
  unit?: string;
  /** Right-aligned tabular figures. */
  numeric?: boolean;
  /** CSS width; with any width given the table's layout is fixed. */
  width?: string;
  cell: (row: Row) => ReactNode;
  /** Makes the column sortable. */
  sortValue?: (row: Row) => SortValue;
  hideOnPhone?: boolean;
};

export type TableSort = { columnId: string; direction: SortDirection };

export type DataTableProps<Row> = {
  /** Accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  density?: 'dense' | 'default' | 'two-line';
  initialSort?: TableSort;
  /** Checkbox column; Space on a focused row toggles it. */
  selection?: {
    selected: ReadonlySet<string>;
    onChange: (selected: ReadonlySet<string>) => void;
    rowName: (row: Row) => string;
  };
  /** Click or Enter on a row; arrow keys move between rows. */
  onOpenRow?: (row: Row) => void;
  /** Tints the row of what runs now. */
  isLive?: (row: Row) => boolean;
  /** Stands below the head when there are no rows. */
  empty?: ReactNode;
};

export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { columns, rows, rowKey, selection, onOpenRow, density = 'default' } = props;
  const [sort, setSort] = useState<TableSort | undefined>(props.initialSort);
  const sorted = useMemo(() => {
    const sortValueOf = columns.find((column) => column.id === sort?.columnId)?.sortValue;
    return sort && sortValueOf ? sortRows(rows, sortValueOf, sort.direction) : rows;
  }, [rows, columns, sort]);
  const focus = useRowFocus(sorted.length);
  const keys = useMemo(() => rows.map(rowKey), [rows, rowKey]);

  const toggle = (key: string) => {
    if (!selection) return;
    const next = new Set(selection.selected);
    if (!next.delete(key)) next.add(key);
    selection.onChange(next);
  };

  return (
    <OverflowRegion label={props.label} className={styles.scroll}>
      <table
        className={styles.table}
        data-density={density}
        data-fixed={columns.some((column) => column.width) || undefined}
        aria-label={props.label}
        onKeyDown={focus.onKeyDown}
      >
        <DataTableHead
          columns={columns}
          sort={sort}
          onSort={setSort}
          selection={
            selection && {
              all: keys.length > 0 && keys.every((key) => selection.selected.has(key)),
              some: keys.some((key) => selection.selected.has(key)),
              onToggleAll: (all) => selection.onChange(new Set(all ? keys : [])),
            }
          }
        />
        <tbody>
          {sorted.map((row, i) => {
            const key = rowKey(row);
            const isSelected = selection?.selected.has(key) ?? false;
            return (
              <tr
                key={key}
                {...(onOpenRow ? focus.rowProps(i) : {})}
                data-live={props.isLive?.(row) || undefined}
                data-selected={isSelected || undefined}
                data-open={onOpenRow ? true : undefined}
                onClick={onOpenRow && ((event) => isOfRow(event) && onOpenRow(row))}
                onKeyDown={(event) => {
                  if (event.target !== event.currentTarget) return;
                  if (event.key === 'Enter') onOpenRow?.(row);
                  if (event.key === ' ' && selection) {
                    event.preventDefault();
                    toggle(key);
                  }
                }}
              >
                {selection && (
                  <td className={styles.check}>
                    <Checkbox
                      aria-label={`Select ${selection.rowName(row)}`}
                      checked={isSelected}
                      onChange={() => toggle(key)}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td
                    key={column.id}
                    data-numeric={column.numeric || undefined}
                    data-wide={column.hideOnPhone || undefined}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length === 0 && props.empty}
    </OverflowRegion>
  );
}

/** Neither on a control, nor in a dialog that a cell opened: React hands its clicks on to the row. */
function isOfRow({ target, currentTarget }: MouseEvent): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest('a, button, input, label') === null
  );
}
