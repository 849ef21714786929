import { Checkbox } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import styles from './data-table.module.css';

type SortDirection = 'ascending' | 'descending';
type SortValue = number | string | null | undefined;

/** Returns a sorted copy. Ties keep their order, and missing values are last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  sortValueOf: (row: Row) => SortValue,
  direction: SortDirection,
): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...rows].sort((a, b) => {
    const x = sortValueOf(a);
    const y = sortValueOf(b);
    const missing = Number(isMissing(x)) - Number(isMissing(y));
    if (missing !== 0 || isMissing(x) || isMissing(y)) return missing;
    return sign * compare(x as number | string, y as number | string);
  });
}

function isMissing(value: SortValue): boolean {
  return value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value));
}

function compare(x: number | string, y: number | string): number {
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x).localeCompare(String(y), 'en', { numeric: true });
}

type RowFocusProps = { tabIndex: number; 'data-row': number; onFocus: () => void };

/** Provides roving focus: one row is in the tab order; arrow keys, Home and End move the focus. */
function useRowFocus(rowCount: number): {
  rowProps: (row: number) => RowFocusProps;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
} {
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, rowCount - 1));
  return {
    rowProps: (row) => ({
      tabIndex: row === current ? 0 : -1,
      'data-row': row,
      onFocus: () => setActive(row),
    }),
    onKeyDown: (event) => {
      if (!(event.target instanceof HTMLElement) || event.target.dataset.row === undefined) return;
      const moves: Record<string, number> = {
        ArrowDown: current + 1,
        ArrowUp: current - 1,
        Home: 0,
        End: rowCount - 1,
      };
      const next = moves[event.key];
      if (next === undefined || next < 0 || next >= rowCount) return;
      event.preventDefault();
      event.currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
    },
  };
}

export type Column<Row> = {
  id: string;
  head: string;
  /** Shown after the header: "Latency, ms". */
  unit?: string;
  /** Right-aligned tabular figures. */
  numeric?: boolean;
  /** CSS width. If any column has a width, the table layout is fixed. */
  width?: string;
  cell: (row: Row) => ReactNode;
  /** Returns the value to sort by; makes the column sortable. */
  sortValue?: (row: Row) => SortValue;
  hideOnPhone?: boolean;
};

type TableSort = { columnId: string; direction: SortDirection };

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
  /** Called on a click or Enter on a row; arrow keys move between rows. */
  onOpenRow?: (row: Row) => void;
  /** Highlights the row of the current run. */
  isLive?: (row: Row) => boolean;
  /** Shown below the header if there are no rows. */
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

/**
 * Returns true unless the click was on a control or in a dialog opened by a cell (React bubbles these clicks
 * to the row).
 */
function isOfRow({ target, currentTarget }: MouseEvent): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest('a, button, input, label') === null
  );
}

type DataTableHeadProps<Row> = {
  columns: readonly Column<Row>[];
  sort: TableSort | undefined;
  onSort: (sort: TableSort) => void;
  selection?: { all: boolean; some: boolean; onToggleAll: (all: boolean) => void } | undefined;
};

function DataTableHead<Row>(props: DataTableHeadProps<Row>): ReactElement {
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

type OverflowRegionProps = { label: string; className?: string | undefined; children: ReactNode };

const focusable = { tabIndex: 0, role: 'region' } as const;

/**
 * Scrolls sideways if its content is too wide. In this case it is a named region in the tab order (WCAG
 * 2.1.1).
 */
export function OverflowRegion({ label, className, children }: OverflowRegionProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const look = () => setOverflows(element.scrollWidth > element.clientWidth + 1);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    look();
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} className={className} {...(overflows ? { ...focusable, 'aria-label': label } : {})}>
      {children}
    </div>
  );
}
