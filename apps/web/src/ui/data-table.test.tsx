import { MantineProvider } from '@mantine/core';
import { act, type ReactElement, useState } from 'react';
import { createPortal } from 'react-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mountEachTest } from '../testing/mount.ts';
import { type Column, DataTable, OverflowRegion, sortRows } from './data-table.tsx';

const unsorted = [{ v: 3 }, { v: null }, { v: 1 }, { v: 2 }];

describe('sortRows', () => {
  it('keeps missing values last in both directions', () => {
    expect(sortRows(unsorted, (row) => row.v, 'ascending').map((row) => row.v)).toEqual([1, 2, 3, null]);
    expect(sortRows(unsorted, (row) => row.v, 'descending').map((row) => row.v)).toEqual([3, 2, 1, null]);
  });

  it('sorts codes by their number', () => {
    const codes = sortRows(['E-20', 'E-3', 'E-100'], (code) => code, 'ascending');
    expect(codes).toEqual(['E-3', 'E-20', 'E-100']);
  });

  it('does not change its input', () => {
    const copy = [...unsorted];
    sortRows(unsorted, (row) => row.v, 'ascending');
    expect(unsorted).toEqual(copy);
  });
});

// @vitest-environment jsdom
type Row = { id: string; value: number | null };

const columns: Column<Row>[] = [
  { id: 'id', head: 'Run', cell: (row) => row.id, sortValue: (row) => row.id },
  {
    id: 'value',
    head: 'Latency',
    unit: 'ms',
    numeric: true,
    cell: (row) => row.value,
    sortValue: (row) => row.value,
  },
];
const rows: Row[] = [
  { id: 'R-2', value: 9 },
  { id: 'R-10', value: 4 },
  { id: 'R-1', value: null },
];
const rowKey = (row: Row): string => row.id;

function SampleTable({ onOpen }: { onOpen: (row: Row) => void }): ReactElement {
  const [selected, onChange] = useState<ReadonlySet<string>>(new Set());
  return (
    <MantineProvider>
      <DataTable
        label="Runs"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        selection={{ selected, onChange, rowName: rowKey }}
        onOpenRow={onOpen}
      />
    </MantineProvider>
  );
}

const mounted = mountEachTest();

const bodyRows = () => [...mounted.host.querySelectorAll<HTMLTableRowElement>('tbody tr')];
const names = () => bodyRows().map((row) => row.cells[1]?.textContent);
const press = (key: string) =>
  act(() => {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  });
const sortBy = (head: string) =>
  act(() => {
    [...mounted.host.querySelectorAll<HTMLButtonElement>('th button')]
      .find((one) => one.textContent === head)
      ?.click();
  });

describe('DataTable', () => {
  it('does not open a row for a click in a dialog that one of its cells opened', () => {
    const onOpen = vi.fn();
    const dialog = document.body.appendChild(document.createElement('div'));
    const opener: Column<Row> = {
      id: 'open',
      head: '',
      cell: () => createPortal(<p>in a dialog</p>, dialog),
    };
    act(() =>
      mounted.root.render(
        <MantineProvider>
          <DataTable
            label="Runs"
            columns={[...columns, opener]}
            rows={rows}
            rowKey={rowKey}
            onOpenRow={onOpen}
          />
        </MantineProvider>,
      ),
    );
    act(() => dialog.querySelector('p')?.click());
    expect(onOpen).not.toHaveBeenCalled();
    act(() => bodyRows()[0]?.cells[0]?.click());
    expect(onOpen).toHaveBeenCalledWith(rows[0]);
    dialog.remove();
  });

  it('writes units in the header and sorts ascending, then descending, with missing values last', () => {
    act(() => mounted.root.render(<SampleTable onOpen={() => undefined} />));
    expect(names()).toEqual(['R-2', 'R-10', 'R-1']);
    sortBy('Latency, ms');
    expect(names()).toEqual(['R-10', 'R-2', 'R-1']);
    expect(mounted.host.querySelector('th[aria-sort="ascending"]')?.textContent).toBe('Latency, ms');
    sortBy('Latency, ms');
    expect(names()).toEqual(['R-2', 'R-10', 'R-1']);
    sortBy('Run');
    expect(names()).toEqual(['R-1', 'R-2', 'R-10']);
  });

  it('supports the keyboard: arrows move, Enter opens, Space selects', () => {
    const onOpen = vi.fn();
    act(() => mounted.root.render(<SampleTable onOpen={onOpen} />));
    act(() => bodyRows()[0]?.focus());
    press('ArrowDown');
    press('Enter');
    expect(onOpen).toHaveBeenCalledWith(rows[1]);
    press(' ');
    expect(bodyRows().map((row) => row.dataset.selected)).toEqual([undefined, 'true', undefined]);
    press('End');
    expect(document.activeElement).toBe(bodyRows()[2]);
    press('ArrowDown');
    expect(document.activeElement).toBe(bodyRows()[2]);
  });

  it('does not open a row when its checkbox is clicked', () => {
    const onOpen = vi.fn();
    act(() => mounted.root.render(<SampleTable onOpen={onOpen} />));
    act(() => mounted.host.querySelector<HTMLInputElement>('tbody input')?.click());
    expect(onOpen).not.toHaveBeenCalled();
    expect(bodyRows()[0]?.dataset.selected).toBe('true');
  });
});

// @vitest-environment jsdom
let look: () => void = () => undefined;
let contentPx = 0;

beforeEach(() => {
  class Observer {
    constructor(callback: () => void) {
      look = callback;
    }
    observe(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('ResizeObserver', Observer);
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockImplementation(() => contentPx);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(300);
});
afterEach(() => vi.restoreAllMocks());

describe('OverflowRegion', () => {
  it('is a named tab stop only if its content is too wide', () => {
    contentPx = 300;
    act(() => mounted.root.render(<OverflowRegion label="Runs">wide</OverflowRegion>));
    const box = mounted.host.firstElementChild;
    expect(box?.hasAttribute('tabindex')).toBe(false);
    contentPx = 640;
    act(() => look());
    expect(box?.getAttribute('tabindex')).toBe('0');
    expect(box?.getAttribute('role')).toBe('region');
    expect(box?.getAttribute('aria-label')).toBe('Runs');
    contentPx = 300;
    act(() => look());
    expect(box?.hasAttribute('role')).toBe(false);
  });
});
