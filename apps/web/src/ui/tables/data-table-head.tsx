import { Checkbox } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './data-table.module.css';
import type { Column, TableSort } from './data-table.tsx';

type DataTableHeadProps<Row> = {
  columns: readonly Column<Row>[];
  sort: TableSort | undefined;
  onSort: (sort: TableSort) => void;
  selection?: { all: boolean; some: boolean; onToggleAll: (all: boolean) => void } | undefined;
};

export function DataTableHead<Row>(props: DataTableHeadProps<Row>): ReactElement {
  const { columns, sort, onSort, selection } = props;
  return (
    <thead>
      <tr>
        {selection && (
          <th className={styles.check} scope="col">
            <Checkbox
              aria-label="Select all"
              checked={selection.all}
              indeterminate={selection.some && !selection.all}
              onChange={(event) => selection.onToggleAll(event.currentTarget.checked)}
            />
          </th>
        )}
        {columns.map((column) => {
          const direction = sort?.columnId === column.id ? sort.direction : undefined;
          const name = column.unit ? `${column.head}, ${column.unit}` : column.head;
          const next = direction === 'ascending' ? 'descending' : 'ascending';
          return (
            <th
              key={column.id}
              scope="col"
              style={column.width ? { width: column.width } : undefined}
              data-numeric={column.numeric || undefined}
              data-wide={column.hideOnPhone || undefined}
              aria-sort={direction}
            >
              {column.sortValue ? (
                <button
                  type="button"
                  className={styles.sort}
                  onClick={() => onSort({ columnId: column.id, direction: next })}
                >
                  {direction === 'ascending' && <IconChevronUp size={12} stroke={2.5} aria-hidden />}
                  {direction === 'descending' && <IconChevronDown size={12} stroke={2.5} aria-hidden />}
                  {name}
                </button>
              ) : (
                name
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
