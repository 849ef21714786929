/** Reads some metrics at one instant. */
export interface Collector {
  /** Its name in the list of what was degraded. */
  readonly name: string;
  readonly metrics: readonly { metric: string; unit: string }[];
  /**
   * One value for each metric, as of `nowUs` (monotonic µs); null where there is no earlier reading to compare
   * with. Throws when it cannot be read: it is then left out for the rest of the Run.
   */
  read(nowUs: number): readonly (number | null)[];
  close(): void;
}

/** Turns a counter that only grows into its rate per µs between two readings. */
export class RateOfCounter {
  #last: { value: number; atUs: number } | null = null;

  /** null at the first reading. */
  next(value: number, atUs: number): number | null {
    const last = this.#last;
    this.#last = { value, atUs };
    if (last === null || atUs <= last.atUs) return null;
    return (value - last.value) / (atUs - last.atUs);
  }
}
