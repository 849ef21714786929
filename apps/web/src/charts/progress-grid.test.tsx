// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { mountEachTest } from '../testing/mount.ts';
import { ProgressGrid } from './progress-grid.tsx';
import type { TrialCell, TrialRow } from './progress-grid-data.ts';

const done = (text: string): TrialCell => ({
  state: 'done',
  text,
  detail: `median ${text} ms`,
  runId: `R-${text}`,
});
const planned: TrialCell = { state: 'planned', text: '5', detail: 'turn 5 of 6' };
const rows: TrialRow[] = ['Plain', 'AES-256'].map((name, i) => ({
  key: name,
  treatment: { index: i + 1, label: name, shortLabel: name },
  levels: ['16'],
  cells: [done(`${i}.1`), done(`${i}.2`), planned],
}));

const mounted = mountEachTest();

describe('ProgressGrid', () => {
  const show = (onOpenRun: (runId: string) => void, own: readonly TrialRow[] = rows) =>
    act(() =>
      mounted.root.render(
        <MantineProvider>
          <ProgressGrid
            label="Trials"
            treatmentHead="Cipher"
            levelHeads={['Batch']}
            rows={own}
            repetitions={3}
            currentRepetition={3}
            onOpenRun={onOpenRun}
          />
        </MantineProvider>,
      ),
    );
  const cells = () => [...mounted.host.querySelectorAll<HTMLButtonElement>('td button')];

  it('has the same legend before and after the first flagged run', () => {
    const keyWords = () => mounted.host.querySelector('[aria-label=Key]')?.textContent;
    show(() => undefined);
    const before = keyWords();
    const flagged: TrialCell = { ...done('9.9'), state: 'flagged' };
    show(
      () => undefined,
      rows.map((row) => ({ ...row, cells: [flagged, ...row.cells.slice(1)] })),
    );
    expect(before).toContain('flagged');
    expect(keyWords()).toBe(before);
  });

  it('has one cell in the tab order and arrows that move it', () => {
    show(() => undefined);
    expect(cells().filter((cell) => cell.tabIndex === 0)).toHaveLength(1);
    act(() => cells()[0]?.focus());
    for (const key of ['ArrowDown', 'ArrowRight']) {
      act(() => {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      });
    }
    expect(document.activeElement?.getAttribute('aria-label')).toBe(
      'AES-256, Batch 16, repetition 2: done, median 1.2 ms',
    );
  });

  it('opens the run of a trial, if it has one', () => {
    const onOpenRun = vi.fn();
    show(onOpenRun);
    act(() => cells()[2]?.click());
    expect(onOpenRun).not.toHaveBeenCalled();
    act(() => cells()[1]?.click());
    expect(onOpenRun).toHaveBeenCalledWith('R-0.2');
  });
});
