import { Drawer } from '@mantine/core';
import { styleOf } from '@mqttlab/charts/drawing/palette';
import { textWidth } from '@mqttlab/charts/drawing/text-width';
import { type ReactElement, useMemo, useState } from 'react';
import { TreatmentMark } from '../ui/treatment-mark.tsx';
import { groupTrialRows, type ProgressGridProps, TRIAL_WORDS } from './progress-grid-data.ts';
import styles from './progress-grid-phone.module.css';
import { TrialCellMark } from './trial-cell-mark.tsx';

/** Maximum number of columns that are wider than their values. */
const MAX_COLUMNS = 14;
const narrowPx = 26;
/** Width of all columns on the narrowest phone. */
const gridPx = 320;
/** Width of a mark with its gap and the gap to the next name. */
const markPx = 22;

/** The grid on phones. Cells are too small to tap, so a tap on a row opens its trials as a sheet. */
export function ProgressGridPhone(props: ProgressGridProps): ReactElement {
  const { rows, repetitions, currentRepetition, levelHeads, onOpenRun } = props;
  const [open, setOpen] = useState<number | null>(null);
  const groups = useMemo(() => groupTrialRows(rows), [rows]);
  const numbers = Array.from({ length: repetitions }, (_, i) => i + 1);
  const isNarrow = rows.length > MAX_COLUMNS;
  const columnPx = Math.max(narrowPx, gridPx / rows.length);
  // A name that does not fit is omitted; a tap opens a list with every name.
  const fits = (text: string, columns: number) => textWidth(text) + markPx <= columns * columnPx;
  const columns = {
    gridTemplateColumns: `20px repeat(${rows.length}, minmax(${isNarrow ? `${narrowPx}px` : '0'}, 1fr))`,
  };
  return (
    <div className={styles.scroll}>
      <div className={styles.heads} style={columns} aria-hidden>
        <span />
        {groups.map((group) => (
          <span key={group.key} className={styles.group} style={{ gridColumn: `span ${group.rows.length}` }}>
            <TreatmentMark index={group.treatment.index} variant="dot" />
            {fits(group.treatment.shortLabel, group.rows.length) && <span>{group.treatment.shortLabel}</span>}
          </span>
        ))}
        <span />
        {rows.map((row) => (
          <span key={row.key} className={styles.level}>
            {textWidth(row.levels.join(' ')) <= columnPx && row.levels.join(' ')}
          </span>
        ))}
      </div>
      {numbers.map((repetition) => {
        const over = rows.filter((row) => isOver(row.cells[repetition - 1]?.state)).length;
        return (
          <button
            key={repetition}
            type="button"
            className={styles.row}
            style={columns}
            data-now={repetition === currentRepetition || undefined}
            aria-label={`Repetition ${repetition}: ${over} of ${rows.length} trials finished; open the list`}
            onClick={() => setOpen(repetition)}
          >
            <span className={styles.number}>{repetition}</span>
            {rows.map((row) => {
              const cell = row.cells[repetition - 1];
              if (!cell) return <span key={row.key} />;
              return <TrialCellMark key={row.key} cell={cell} style={styleOf(row.treatment.index)} isSmall />;
            })}
          </button>
        );
      })}
      <Drawer
        opened={open !== null}
        onClose={() => setOpen(null)}
        position="bottom"
        size="70%"
        title={`Repetition ${open ?? ''}`}
        padding="md"
      >
        <ul className={styles.sheet}>
          {rows.map((row) => {
            const cell = row.cells[(open ?? 1) - 1];
            if (!cell) return null;
            const levels = row.levels.map((level, i) => `${levelHeads[i] ?? ''} ${level}`.trim()).join(', ');
            const words = (
              <>
                <TreatmentMark index={row.treatment.index} variant="dot" />
                <span className={styles.what}>
                  <b>{row.treatment.shortLabel}</b> {levels}
                  <span className={styles.detail}>{cell.detail}</span>
                </span>
                <span>{TRIAL_WORDS[cell.state]}</span>
              </>
            );
            const { runId } = cell;
            return (
              <li key={row.key}>
                {runId === undefined ? (
                  <span className={styles.trial}>{words}</span>
                ) : (
                  <button type="button" className={styles.trial} onClick={() => onOpenRun(runId)}>
                    {words}
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      </Drawer>
    </div>
  );
}

function isOver(state: string | undefined): boolean {
  return state !== undefined && state !== 'planned' && state !== 'running';
}
