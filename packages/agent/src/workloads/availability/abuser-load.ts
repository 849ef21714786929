import type { AbuseKind } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { LoadPhase } from '../../pacing/timeline.ts';
import { ConnectingLoad } from '../connecting-load.ts';
import type { LoadFigures, LoadSnapshot } from '../role-load.ts';
import type { ConnectingLoadOptions } from '../role-load-options.ts';
import { checkAbuseBounds } from './abuse-bounds.ts';
import { Holders } from './holders.ts';
import { Sessions } from './sessions.ts';

interface Abuse {
  begin(): void;
  end(): void;
  /** Connections or sessions at this moment, and the most there were. */
  held(): number;
  most(): number;
  refused(): number;
  facts(): RoleResult['environment'];
}

const sampleEveryMs = 100;

/** What the abuser does: nothing in the warm-up, so that the broker is seen before; then as much as its bounds allow. */
export class AbuserLoad extends ConnectingLoad {
  readonly #abuse: Abuse;
  readonly #series: Series = { metric: 'abuse.held', unit: 'connections', timesMs: [], values: [] };
  #sampler: NodeJS.Timeout | null = null;

  /** Throws RunFailure 'abuse-refused'. */
  constructor(options: ConnectingLoadOptions) {
    super(options);
    checkAbuseBounds(options.command.spec);
    this.#abuse = abuses[options.command.spec.abuse](options);
  }

  override stop(): void {
    super.stop();
    if (this.#sampler !== null) clearInterval(this.#sampler);
    this.#sampler = null;
    this.#abuse.end();
  }

  override snapshot(): LoadSnapshot {
    const held = this.#abuse.held();
    return { messages: held, all: held, late: 0, latencyMs: null };
  }

  figures(): LoadFigures {
    return {
      counters: makeCounters({
        connectionsHeld: this.#abuse.most(),
        connectionsFailed: this.#abuse.refused(),
      }),
      latency: null,
      lateness: null,
      histograms: {},
      series: [this.#series],
      facts: this.#abuse.facts(),
      degraded: [],
    };
  }

  protected begun(): number {
    return this.#abuse.held();
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'warm-up') this.#sampler = setInterval(() => this.#sample(), sampleEveryMs);
    if (phase === 'measure') this.#abuse.begin();
  }

  #sample(): void {
    this.#series.timesMs.push((this.options.clock.nowUs() - this.instants.measureAtUs) / 1000);
    this.#series.values.push(this.#abuse.held());
  }
}

const nothing: Abuse = {
  begin: () => {},
  end: () => {},
  held: () => 0,
  most: () => 0,
  refused: () => 0,
  facts: () => ({}),
};

const abuses: Readonly<Record<AbuseKind, (options: ConnectingLoadOptions) => Abuse>> = {
  none: () => nothing,
  'slow keep-alive': ({ command, connections }) => {
    const { spec } = command;
    const holders = new Holders({ connections, encrypted: spec.security !== 'plain', most: spec.abusers });
    return {
      begin: () => void holders.start(),
      end: () => holders.stop(),
      held: () => holders.held,
      most: () => holders.peak,
      refused: () => holders.refused,
      facts: () => ({ 'abuse.refused': holders.refused, 'abuse.thrownOut': holders.thrownOut }),
    };
  },
  'persistent sessions': ({ command, connections }) => {
    const sessions = new Sessions({ connections, spec: command.spec, runTag: command.runTag });
    return {
      begin: () => void sessions.start(),
      end: () => sessions.stop(),
      held: () => sessions.made,
      most: () => sessions.made,
      refused: () => sessions.refused,
      facts: () => ({
        'abuse.sessions': sessions.made,
        'abuse.refused': sessions.refused,
        'abuse.firstRefusal': sessions.firstRefusal,
        'abuse.queuedMessages': sessions.queued,
      }),
    };
  },
};
