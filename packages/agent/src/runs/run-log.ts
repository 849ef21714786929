import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { Clock } from '../pacing/clock.ts';

export interface RunLogOptions {
  clock: Clock;
  /** Gets warnings, errors and milestones, to be shown while the Run goes on. */
  onShown: (line: LogLine) => void;
}

/** Lines kept from the beginning and from the end; what lies between is counted and dropped. */
const keptAtEachEnd = 250;
const maxShown = 200;

/** The log of one role in one Run: bounded, whatever a broker may have to say. */
export class RunLog {
  readonly #options: RunLogOptions;
  readonly #first: LogLine[] = [];
  readonly #last: LogLine[] = [];
  #dropped = 0;
  #shown = 0;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  add(level: LogLine['level'], source: string, text: string): void {
    const line = { at: this.#options.clock.unixMs(), level, source, text: text.slice(0, 1_000) };
    this.#keep(line);
    if (level === 'warn' || level === 'error') this.#show(line);
  }

  /** A line that is shown at once as well. */
  milestone(source: string, text: string): void {
    const line: LogLine = { at: this.#options.clock.unixMs(), level: 'info', source, text };
    this.#keep(line);
    this.#show(line);
  }

  lines(): LogLine[] {
    if (this.#dropped === 0) return [...this.#first, ...this.#last];
    const at = this.#last[0]?.at ?? this.#options.clock.unixMs();
    const gap: LogLine = { at, level: 'warn', source: 'agent', text: `${this.#dropped} lines left out here` };
    return [...this.#first, gap, ...this.#last];
  }

  #keep(line: LogLine): void {
    if (this.#first.length < keptAtEachEnd) {
      this.#first.push(line);
      return;
    }
    this.#last.push(line);
    if (this.#last.length <= keptAtEachEnd) return;
    this.#last.shift();
    this.#dropped += 1;
  }

  #show(line: LogLine): void {
    this.#shown += 1;
    if (this.#shown <= maxShown) this.#options.onShown(line);
  }
}
