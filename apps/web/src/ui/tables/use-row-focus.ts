import { type KeyboardEvent, useState } from 'react';

type RowFocusProps = { tabIndex: number; 'data-row': number; onFocus: () => void };

/** Roving focus: one row is in the tab order, arrow keys, Home and End move it. */
export function useRowFocus(rowCount: number): {
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
