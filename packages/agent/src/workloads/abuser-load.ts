import type { AbuseKind } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Series } from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { LoadSnapshot } from '../load-process/worker-messages.ts';
import type { LoadPhase } from '../pacing/timeline.ts';
import { checkAbuseBounds } from './abuse-bounds.ts';
import { type Abuse, makePersistentSessions, makeSlowKeepAlive } from './abused-connections.ts';
import { ConnectingLoad } from './connecting-load.ts';
import type { ConnectingLoadOptions, LoadFigures } from './role-load.ts';

const sampleEveryMs = 100;

/** What the abuser does: nothing in the warm-up, so that the broker is seen before; then as much as its bounds allow. */
export class AbuserLoad extends ConnectingLoad {
  readonly #abuse: Abuse;
  readonly #series: Series = { metric: 'abuse.held', unit: 'connections', timesMs: [], values: [] };
  #sampler: NodeJS.Timeout | null = null;

  /** Throws Failure 'abuse-refused'. */
  constructor(options: ConnectingLoadOptions) {
    super(options);
    checkAbuseBounds(options.command.spec);
    this.#abuse = abuses[options.command.spec.abuse](options);
  }

  override stop(): void {
    super.stop();
    if (this.#sampler !== null) clearInterval(this.#sampler);
    this.#sampler = null;
    this.#abuse.stop();
  }

  override snapshot(): LoadSnapshot {
    const held = this.#abuse.held();
    return { messages: held, all: held, late: 0, latencyMs: null };
  }

  figures(): LoadFigures {
    return {
      counters: makeCounters({
        connectionsHeld: this.#abuse.max(),
        connectionsFailed: this.#abuse.refused(),
      }),
      series: [this.#series],
      facts: this.#abuse.facts(),
    };
  }

  protected begun(): number {
    return this.#abuse.held();
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'warm-up') this.#sampler = setInterval(() => this.#sample(), sampleEveryMs);
    if (phase === 'measure') void this.#abuse.start();
  }

  #sample(): void {
    this.#series.timesMs.push((this.options.clock.nowUs() - this.instants.measureAtUs) / 1000);
    this.#series.values.push(this.#abuse.held());
  }
}

const nothing: Abuse = {
  start: () => Promise.resolve(),
  stop: () => {},
  held: () => 0,
  max: () => 0,
  refused: () => 0,
  facts: () => ({}),
};

const abuses: Readonly<Record<AbuseKind, (options: ConnectingLoadOptions) => Abuse>> = {
  none: () => nothing,
  'slow keep-alive': makeSlowKeepAlive,
  'persistent sessions': makePersistentSessions,
};
