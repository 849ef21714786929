import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { Traffic } from '../mqtt/connection.ts';
import { followTimeline } from '../pacing/follow-timeline.ts';
import type { Instants, LoadPhase } from '../pacing/timeline.ts';
import type { LoadFigures, LoadSnapshot, RoleLoad } from './role-load.ts';
import type { RoleLoadOptions } from './role-load-options.ts';

/** What a connection does that carries no messages of the workload. */
export const silence: Traffic = { onPublish: () => {}, onAcknowledgement: () => {}, afterChunk: () => {} };

/** A role with connections but nothing to do: the subscriber of a workload that carries no messages. */
export class IdleLoad implements RoleLoad {
  readonly #options: RoleLoadOptions;
  #cancel: () => void = () => {};

  constructor(options: RoleLoadOptions) {
    this.#options = options;
  }

  attach(): Traffic {
    return silence;
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    this.#cancel = followTimeline(this.#options.clock, instants, onEnter);
  }

  lose(): void {}

  stop(): void {
    this.#cancel();
  }

  /** There is nothing to wait for. */
  async drain(): Promise<Drained> {
    return { messages: 0, timedOut: false };
  }

  snapshot(): LoadSnapshot {
    return { messages: 0, all: 0, late: 0, latencyMs: null };
  }

  figures(): LoadFigures {
    return { counters: makeCounters(), latency: null, lateness: null, histograms: {}, degraded: [] };
  }
}
