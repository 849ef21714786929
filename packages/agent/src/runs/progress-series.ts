import type { Series } from '@mqttlab/shared/domain/runs/role-result';
import type { Progress } from '@mqttlab/shared/messages/agent';

type Told = Pick<Progress, 'atMs' | 'latencyMs' | 'messagesPerSecond' | 'wireBytesPerSecond'>;

/** What each progress frame says of the load, kept as series: [name, unit, value]. */
const kept: readonly [string, string, (progress: Told) => number | null][] = [
  ['latency.p5', 'ms', ({ latencyMs }) => latencyMs?.p5 ?? null],
  ['latency.p50', 'ms', ({ latencyMs }) => latencyMs?.p50 ?? null],
  ['latency.p95', 'ms', ({ latencyMs }) => latencyMs?.p95 ?? null],
  ['messages.rate', 'msg/s', ({ messagesPerSecond }) => messagesPerSecond],
  ['wire.rate', 'B/s', ({ wireBytesPerSecond }) => wireBytesPerSecond],
];

/** The load's second-by-second figures, so that what was shown live can be seen again. */
export class ProgressSeries {
  readonly #told: Told[] = [];

  add(progress: Told): void {
    this.#told.push(progress);
  }

  /** Series without a single value are left out. */
  results(): Series[] {
    return kept.flatMap(([metric, unit, pick]) => {
      const values = this.#told.map(pick);
      if (values.every((value) => value === null)) return [];
      return [{ metric, unit, timesMs: this.#told.map(({ atMs }) => atMs), values }];
    });
  }
}
