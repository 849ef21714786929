import { styleOf } from '@mqttlab/charts/drawing/palette';
import { type KeyboardEvent, type ReactElement, useMemo, useRef, useState } from 'react';
import { useIsPhone } from '../ui/theme.ts';
import { TreatmentMark } from '../ui/treatment-mark.tsx';
import styles from './progress-grid.module.css';
import {
  type GridPlace,
  groupTrialRows,
  moveInGrid,
  type ProgressGridProps,
  type TrialCell,
  type TrialState,
  trialName,
} from './progress-grid-data.ts';
import { ProgressGridPhone } from './progress-grid-phone.tsx';
import { TrialCellMark } from './trial-cell-mark.tsx';

/** Rows are lower if there are many, so that 16 treatments fit into a 900 px window next to the log. */
const tallRows = 10;

/** Grid of treatments x repetitions that fills up during the runs. Arrow keys move between cells. */
export function ProgressGrid(props: ProgressGridProps): ReactElement {
  const isPhone = useIsPhone();
  return (
    <div>
      {isPhone ? <ProgressGridPhone {...props} /> : <ProgressGridTable {...props} />}
      <ProgressGridLegend />
    </div>
  );
}

function ProgressGridTable(props: ProgressGridProps): ReactElement {
  const { label, treatmentHead, levelHeads, rows, repetitions, currentRepetition, onOpenRun } = props;
  const groups = useMemo(() => groupTrialRows(rows), [rows]);
  const rowNumbers = useMemo(() => new Map(rows.map((row, i) => [row.key, i])), [rows]);
  const [active, setActive] = useState<GridPlace>({ row: 0, repetition: 1 });
  const grid = useRef<HTMLTableElement>(null);
  const numbers = Array.from({ length: repetitions }, (_, i) => i + 1);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = moveInGrid(event.key, active, { rows: rows.length, repetitions });
    if (!next) return;
    event.preventDefault();
    setActive(next);
    grid.current?.querySelector<HTMLElement>(`[data-place="${next.row}-${next.repetition}"]`)?.focus();
  };

  return (
    <div className={styles.scroll}>
      <table
        className={styles.grid}
        aria-label={label}
        ref={grid}
        onKeyDown={onKeyDown}
        data-dense={rows.length > tallRows || undefined}
      >
        <thead>
          <tr>
            <th scope="col">{treatmentHead}</th>
            {levelHeads.map((head) => (
              <th key={head} scope="col" className={styles.level}>
                {head}
              </th>
            ))}
            {numbers.map((number) => (
              <th
                key={number}
                scope="col"
                className={styles.rep}
                data-now={number === currentRepetition || undefined}
              >
                rep {number}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.key}>
            {group.rows.map((row, i) => (
              <tr key={row.key}>
                {i === 0 && (
                  <th scope="rowgroup" rowSpan={group.rows.length} className={styles.name}>
                    <span className={styles.identity}>
                      <TreatmentMark index={group.treatment.index} />
                      <span>
                        <b>{group.treatment.shortLabel}</b>
                      </span>
                    </span>
                  </th>
                )}
                {row.levels.map((level, k) => (
                  <td key={levelHeads[k] ?? k} className={styles.level}>
                    {level}
                  </td>
                ))}
                {numbers.map((repetition) => {
                  const at = { row: rowNumbers.get(row.key) ?? 0, repetition };
                  const isActive = at.row === active.row && repetition === active.repetition;
                  const cell = row.cells[repetition - 1];
                  return (
                    <td key={repetition} className={styles.cell}>
                      <TrialButton
                        cell={cell}
                        name={trialName(row, levelHeads, repetition)}
                        style={styleOf(row.treatment.index)}
                        place={at}
                        isActive={isActive}
                        onFocus={() => setActive(at)}
                        onOpenRun={onOpenRun}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

type TrialButtonProps = {
  cell: TrialCell | undefined;
  name: string;
  style: number;
  place: GridPlace;
  isActive: boolean;
  onFocus: () => void;
  onOpenRun: (runId: string) => void;
};

function TrialButton({
  cell,
  name,
  style,
  place,
  isActive,
  onFocus,
  onOpenRun,
}: TrialButtonProps): ReactElement {
  const runId = cell?.runId;
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={name}
      title={name}
      aria-disabled={runId === undefined || undefined}
      tabIndex={isActive ? 0 : -1}
      data-place={`${place.row}-${place.repetition}`}
      onFocus={onFocus}
      onClick={() => runId !== undefined && onOpenRun(runId)}
    >
      {cell && <TrialCellMark cell={cell} style={style} />}
    </button>
  );
}

const KEYS: readonly { state: TrialState; text: string; word: string }[] = [
  { state: 'done', text: '8.1', word: 'done' },
  { state: 'flagged', text: '', word: 'flagged' },
  { state: 'failed', text: '', word: 'failed' },
  { state: 'retried', text: '', word: 'retried' },
  { state: 'excluded', text: '', word: 'left out manually' },
  { state: 'cancelled', text: '', word: 'cancelled' },
  { state: 'running', text: '', word: 'running' },
  { state: 'planned', text: '43', word: 'planned: its turn' },
];

/**
 * The legend under the grid. It always lists every state, so that the first flagged run causes no layout
 * shift.
 */
function ProgressGridLegend(): ReactElement {
  return (
    <ul className={styles.legend} aria-label="Key">
      {KEYS.map(({ state, text, word }) => {
        const cell: TrialCell = { state, text, detail: word, progress: 0.6 };
        return (
          <li key={state}>
            <span className={styles.key}>
              <TrialCellMark cell={cell} style={1} isSmall={state !== 'running'} />
            </span>
            {word}
          </li>
        );
      })}
    </ul>
  );
}
