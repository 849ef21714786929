import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';

export type TrialState =
  | 'planned'
  | 'running'
  | 'done'
  | 'flagged'
  | 'failed'
  | 'retried'
  | 'excluded'
  | 'cancelled';

/** One trial: a treatment in one repetition. */
export type TrialCell = {
  state: TrialState;
  /** Text in the cell: "8.1" when done, "18 s" while running, the position "43" in the order when planned. */
  text: string;
  /** Accessible text, also shown on hover: "run 43, median latency 8.1 ms". */
  detail: string;
  /** Completed share of the running trial, 0 to 1. */
  progress?: number;
  /** Id of the run that a click opens; absent for a planned trial. */
  runId?: string;
};

/** One treatment: its identity given by the colour factor, its other levels, and a cell per repetition. */
export type TrialRow = {
  key: string;
  treatment: TreatmentIdentity;
  /** Levels of the other factors, in the order of `levelHeads`: ["16"]. */
  levels: readonly string[];
  cells: readonly TrialCell[];
};

export type ProgressGridProps = {
  /** Accessible name: "Treatments by repetitions, median latency in ms". */
  label: string;
  /** Name of the colour factor: "Cipher". */
  treatmentHead: string;
  /** Names of the other factors: ["Batch"]. */
  levelHeads: readonly string[];
  rows: readonly TrialRow[];
  repetitions: number;
  /** The repetition whose header uses the accent colour. */
  currentRepetition?: number;
  /** Called on a click or Enter on a cell that has a run. */
  onOpenRun: (runId: string) => void;
};

export const TRIAL_WORDS: Readonly<Record<TrialState, string>> = {
  planned: 'planned',
  running: 'running',
  done: 'done',
  flagged: 'flagged',
  failed: 'failed',
  retried: 'done after a retry',
  excluded: 'left out manually',
  cancelled: 'cancelled',
};

export type RowGroup = { key: string; treatment: TreatmentIdentity; rows: readonly TrialRow[] };

/** Groups consecutive rows of the same treatment. */
export function groupTrialRows(rows: readonly TrialRow[]): RowGroup[] {
  const groups: { key: string; treatment: TreatmentIdentity; rows: TrialRow[] }[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    const isSame =
      last?.treatment.index === row.treatment.index && last.treatment.label === row.treatment.label;
    if (last && isSame) last.rows.push(row);
    else groups.push({ key: row.key, treatment: row.treatment, rows: [row] });
  }
  return groups;
}

/** Returns a cell's accessible name: "TLS 1.3 ChaCha20-Poly1305, Batch 16, repetition 4: running, 18 s". */
export function trialName(row: TrialRow, levelHeads: readonly string[], repetition: number): string {
  const cell = row.cells[repetition - 1];
  const levels = row.levels.map((level, i) => `${levelHeads[i] ?? ''} ${level}`.trim());
  const place = [row.treatment.label, ...levels, `repetition ${repetition}`].join(', ');
  if (!cell) return `${place}: not planned`;
  return [`${place}: ${TRIAL_WORDS[cell.state]}`, cell.detail].filter(Boolean).join(', ');
}

export type GridPlace = { row: number; repetition: number };

/** Returns the target of an arrow key, Home or End; null outside the grid. */
export function moveInGrid(
  key: string,
  { row, repetition }: GridPlace,
  size: { rows: number; repetitions: number },
): GridPlace | null {
  const moves: Readonly<Record<string, GridPlace>> = {
    ArrowUp: { row: row - 1, repetition },
    ArrowDown: { row: row + 1, repetition },
    ArrowLeft: { row, repetition: repetition - 1 },
    ArrowRight: { row, repetition: repetition + 1 },
    Home: { row, repetition: 1 },
    End: { row, repetition: size.repetitions },
  };
  const next = moves[key];
  if (!next || next.row < 0 || next.row >= size.rows) return null;
  return next.repetition >= 1 && next.repetition <= size.repetitions ? next : null;
}
