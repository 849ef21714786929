import type { FactorValue, Levels } from '../domain/factor.ts';

/** A value for every column, whether or not the column has an effect in combination with the others. */
export type Row = Readonly<Record<string, FactorValue>>;

/** Something a row can achieve: `column` has one of `values`, and the column has an effect in that row. */
export interface Goal {
  column: string;
  label: string;
  values: readonly FactorValue[];
}

/**
 * Whether a row can be used. `levels` are those in effect (null: the column has none in this row), or null if the rules
 * under test forbid the row. `refusal` is the reason for an unusable row; with `levels`, the row is legal but the caller
 * does not want it.
 */
export type Outcome = { levels: Levels; refusal: string | null } | { levels: null; refusal: string };

export interface CoveringRow {
  row: Row;
  levels: Levels;
  /** Labels of the goals that this row achieves. */
  achieved: string[];
}

export interface UncoveredPair {
  pair: readonly [Goal, Goal];
  reason: string;
}

export interface CoveringArray {
  rows: CoveringRow[];
  /** Number of wanted pairs, those without a row included. */
  wanted: number;
  /** Number of wanted pairs that at least one row achieves. */
  covered: number;
  /** Pairs for which no legal row exists. */
  impossible: UncoveredPair[];
  /** Pairs with legal rows, none of which the caller wants. */
  unsuitable: UncoveredPair[];
}

export interface CoveringArrayInput {
  goals: readonly Goal[];
  /** Whether some row has to achieve both goals. Called with goals of different columns only. */
  isWanted(a: Goal, b: Goal): boolean;
  /**
   * Rows from which the search for a legal row starts: one or two of their values are replaced. A pair is reported as
   * impossible if that gives no legal row for any of them, so they must cover every way to give a column an effect.
   */
  bases: readonly Row[];
  /** Cheap test that two values exclude each other whatever the rest of the row is; returns the reason. */
  findConflict(a: Cell, b: Cell): string | null;
  /** Cheap test that a column may have an effect in a row; false saves a call of `check`. */
  mayApply(column: string, row: Row): boolean;
  /** Values that make a row easy to carry out: a row has them, in this order, where no pair needs another. */
  easiest?: Row;
  check(row: Row): Outcome;
}

interface Cell {
  column: string;
  value: FactorValue;
}

const open = 1;
const covered = 2;
const closed = 3;
/** Values tried for each column of each row, those that would cover the most open pairs first. */
const triesOfColumn = 6;
const passes = 2;

/**
 * Returns rows which together achieve every wanted pair of goals that some legal row achieves. Greedy, in the manner of
 * AETG (Cohen et al. 1997): each row starts from an open pair and then changes one column at a time while that covers
 * more open pairs. Deterministic. The number of rows is close to, but not always, the smallest possible.
 */
export function makeCoveringArray(input: CoveringArrayInput): CoveringArray {
  return new Builder(input).build();
}

class Builder {
  readonly #input: CoveringArrayInput;
  readonly #goals: readonly Goal[];
  readonly #columns: readonly string[];
  /** Numbers of the goals that a value of a column achieves. */
  readonly #goalsOf = new Map<string, Map<FactorValue, number[]>>();
  readonly #state: Uint8Array;
  /** Column number of each goal. */
  readonly #columnOf: readonly number[];
  /** Open pairs of each goal. */
  readonly #openOf: Int32Array;
  /** Open pairs between two columns. */
  readonly #openBetween: Int32Array;
  readonly #outcomes = new Map<string, Outcome>();
  readonly #result: CoveringArray = { rows: [], wanted: 0, covered: 0, impossible: [], unsuitable: [] };

  constructor(input: CoveringArrayInput) {
    this.#input = input;
    this.#goals = input.goals;
    for (const [index, { column, values }] of input.goals.entries()) {
      const byValue = this.#goalsOf.get(column) ?? new Map<FactorValue, number[]>();
      this.#goalsOf.set(column, byValue);
      for (const value of values) byValue.set(value, [...(byValue.get(value) ?? []), index]);
    }
    this.#columns = [...this.#goalsOf.keys()];
    this.#state = new Uint8Array(this.#goals.length ** 2);
    this.#columnOf = this.#goals.map(({ column }) => this.#columns.indexOf(column));
    this.#openOf = new Int32Array(this.#goals.length);
    this.#openBetween = new Int32Array(this.#columns.length ** 2);
  }

  build(): CoveringArray {
    this.#openWantedPairs();
    for (let seed = this.#nextPair(); seed !== null; seed = this.#nextPair()) {
      const found = this.#findRow(seed);
      if (found !== null) this.#addRow(this.#improve(found, seed));
    }
    this.#ease();
    return this.#result;
  }

  /** Gives rows the easiest values as long as every covered pair stays covered. */
  #ease(): void {
    const rowsOf = new Uint16Array(this.#goals.length ** 2);
    const count = (levels: Levels, change: 1 | -1): void => {
      for (const [i, j] of pairsOf(this.#achievedBy(levels))) {
        const pair = i * this.#goals.length + j;
        rowsOf[pair] = (rowsOf[pair] ?? 0) + change;
      }
    };
    for (const { levels } of this.#result.rows) count(levels, 1);
    for (const [column, value] of Object.entries(this.#input.easiest ?? {})) {
      for (const [index, { row, levels }] of this.#result.rows.entries()) {
        if (row[column] === value) continue;
        const easier = { ...row, [column]: value };
        const outcome = this.#check(easier);
        if (outcome.levels === null || outcome.refusal !== null) continue;
        count(outcome.levels, 1);
        count(levels, -1);
        const isNeeded = [...pairsOf(this.#achievedBy(levels))].some(
          ([i, j]) => this.#get(i, j) === covered && rowsOf[i * this.#goals.length + j] === 0,
        );
        if (isNeeded) {
          count(levels, 1);
          count(outcome.levels, -1);
        } else this.#result.rows[index] = this.#withAchieved(easier, outcome.levels);
      }
    }
  }

  #openWantedPairs(): void {
    for (const [i, a] of this.#goals.entries()) {
      for (const [j, b] of this.#goals.entries()) {
        if (j <= i || a.column === b.column || !this.#input.isWanted(a, b)) continue;
        this.#result.wanted += 1;
        this.#countOpen(i, j, 1);
        this.#set(i, j, open);
        const reason = this.#conflictOf(a, b);
        if (reason !== null) this.#close([i, j], 'impossible', reason);
      }
    }
  }

  #conflictOf(a: Goal, b: Goal): string | null {
    const [value, other] = [a.values[0], b.values[0]];
    if (value === undefined || other === undefined) return null;
    return this.#input.findConflict({ column: a.column, value }, { column: b.column, value: other });
  }

  /**
   * The next open pair: of the two columns with the most open pairs between them, which decide how many rows there must
   * be, the two goals that are in the most open pairs.
   */
  #nextPair(): [number, number] | null {
    let best: [number, number] | null = null;
    let most = [0, 0];
    for (let i = 0; i < this.#goals.length; i += 1) {
      if (this.#openOf[i] === 0) continue;
      for (let j = i + 1; j < this.#goals.length; j += 1) {
        if (this.#get(i, j) !== open) continue;
        const between = this.#openBetween[this.#between(i, j)] ?? 0;
        const score = (this.#openOf[i] ?? 0) + (this.#openOf[j] ?? 0);
        if (between < (most[0] ?? 0) || (between === most[0] && score <= (most[1] ?? 0))) continue;
        best = [i, j];
        most = [between, score];
      }
    }
    return best;
  }

  /** A legal row that achieves the pair, with `levels`; null if there is none, which is then recorded. */
  #findRow(pair: [number, number]): CoveringRow | null {
    const [a, b] = [this.#goal(pair[0]), this.#goal(pair[1])];
    let refused: string | null = null;
    let isWithoutEffect = false;
    let unsuitable: string | null = null;
    const [bases, found] = [this.#input.bases, this.#result.rows];
    for (const [index, base] of [...bases, ...found.map(({ row }) => row)].entries()) {
      // Rows found so far are worth a try only if the pair is known to be legal.
      if (index >= bases.length && unsuitable === null) break;
      const row = { ...base, [a.column]: firstOf(a), [b.column]: firstOf(b) };
      if (!this.#input.mayApply(a.column, row) || !this.#input.mayApply(b.column, row)) continue;
      const { levels, refusal } = this.#check(row);
      if (levels === null) {
        refused ??= refusal;
      } else if (!achieves(levels, a) || !achieves(levels, b)) {
        isWithoutEffect = true;
      } else if (refusal === null) {
        return this.#withAchieved(row, levels);
      } else {
        unsuitable ??= refusal;
      }
    }
    if (unsuitable !== null) this.#close(pair, 'unsuitable', unsuitable);
    else
      this.#close(
        pair,
        'impossible',
        (isWithoutEffect ? null : refused) ?? 'one leaves the other without effect',
      );
    return null;
  }

  #improve(start: CoveringRow, seed: readonly [number, number]): CoveringRow {
    let best = start;
    let gain = this.#gainOf(best.levels);
    const shift = this.#result.rows.length;
    for (let pass = 0; pass < passes; pass += 1) {
      const before = gain;
      for (let k = 0; k < this.#columns.length; k += 1) {
        const column = this.#columns[(k + shift) % this.#columns.length] ?? '';
        if (
          seed.some((index) => this.#goal(index).values.length === 1 && this.#goal(index).column === column)
        )
          continue;
        for (const value of this.#valuesWorthTrying(column, best)) {
          const row = { ...best.row, [column]: value };
          if (!this.#input.mayApply(column, row)) continue;
          const { levels, refusal } = this.#check(row);
          if (levels === null || refusal !== null) continue;
          if (!seed.every((index) => achieves(levels, this.#goal(index)))) continue;
          const gained = this.#gainOf(levels);
          if (gained <= gain) continue;
          gain = gained;
          best = this.#withAchieved(row, levels);
          break;
        }
      }
      if (gain === before) break;
    }
    return best;
  }

  /** Values that would be in more open pairs with the rest of the row than the present one, and exclude none of it. */
  #valuesWorthTrying(column: string, { row, levels }: CoveringRow): FactorValue[] {
    const others = this.#achievedBy(levels).filter((index) => this.#goal(index).column !== column);
    const score = (goals: readonly number[]): number => {
      let sum = 0;
      for (const goal of goals) {
        for (const other of others) {
          const state = this.#get(goal, other);
          if (state === closed) return -1;
          if (state === open) sum += 1;
        }
      }
      return sum;
    };
    const byValue = this.#goalsOf.get(column) ?? new Map<FactorValue, number[]>();
    const present = levels[column] === null ? 0 : score(byValue.get(row[column] ?? '') ?? []);
    return [...byValue]
      .map(([value, goals]) => ({ value, score: value === row[column] ? -1 : score(goals) }))
      .filter(({ score: own }) => own > present)
      .sort((a, b) => b.score - a.score)
      .slice(0, triesOfColumn)
      .map(({ value }) => value);
  }

  #addRow(row: CoveringRow): void {
    this.#result.rows.push(row);
    for (const [i, j] of pairsOf(this.#achievedBy(row.levels))) {
      if (this.#get(i, j) !== open) continue;
      this.#set(i, j, covered);
      this.#countOpen(i, j, -1);
      this.#result.covered += 1;
    }
  }

  #close(pair: readonly [number, number], why: 'impossible' | 'unsuitable', reason: string): void {
    const [i, j] = pair;
    this.#set(i, j, closed);
    this.#countOpen(i, j, -1);
    this.#result[why].push({ pair: [this.#goal(i), this.#goal(j)], reason });
  }

  #countOpen(i: number, j: number, change: 1 | -1): void {
    const between = this.#between(i, j);
    this.#openOf[i] = (this.#openOf[i] ?? 0) + change;
    this.#openOf[j] = (this.#openOf[j] ?? 0) + change;
    this.#openBetween[between] = (this.#openBetween[between] ?? 0) + change;
  }

  /** Index of `#openBetween` for the columns of two goals. */
  #between(i: number, j: number): number {
    const [a, b] = [this.#columnOf[i] ?? 0, this.#columnOf[j] ?? 0];
    return Math.min(a, b) * this.#columns.length + Math.max(a, b);
  }

  #gainOf(levels: Levels): number {
    let gain = 0;
    for (const [i, j] of pairsOf(this.#achievedBy(levels))) if (this.#get(i, j) === open) gain += 1;
    return gain;
  }

  #achievedBy(levels: Levels): number[] {
    return this.#columns.flatMap((column) => {
      const level = levels[column];
      return level === null || level === undefined ? [] : (this.#goalsOf.get(column)?.get(level) ?? []);
    });
  }

  #withAchieved(row: Row, levels: Levels): CoveringRow {
    return { row, levels, achieved: this.#achievedBy(levels).map((index) => this.#goal(index).label) };
  }

  #check(row: Row): Outcome {
    const key = this.#columns.map((column) => row[column]).join('|');
    const known = this.#outcomes.get(key);
    if (known) return known;
    const outcome = this.#input.check(row);
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  #goal(index: number): Goal {
    const goal = this.#goals[index];
    if (goal === undefined) throw new RangeError(`there is no goal ${index}`);
    return goal;
  }

  #get(i: number, j: number): number {
    return this.#state[i * this.#goals.length + j] ?? 0;
  }

  #set(i: number, j: number, state: number): void {
    this.#state[i * this.#goals.length + j] = state;
    this.#state[j * this.#goals.length + i] = state;
  }
}

function firstOf({ label, values }: Goal): FactorValue {
  const [first] = values;
  if (first === undefined) throw new RangeError(`the goal ${label} has no values`);
  return first;
}

function achieves(levels: Levels, { column, values }: Goal): boolean {
  const level = levels[column];
  return level !== null && level !== undefined && values.includes(level);
}

function* pairsOf(indices: readonly number[]): Generator<[number, number]> {
  for (const [k, i] of indices.entries()) for (const j of indices.slice(k + 1)) yield [i, j];
}
