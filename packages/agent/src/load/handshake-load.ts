import { makeCounters } from '@mqttlab/shared/domain/make-counters';
import type { Drained } from '@mqttlab/shared/protocol/agent';
import { toFailure } from '../run-failure.ts';
import type { Traffic } from './connection.ts';
import { ConnectionMeter, openTimed } from './connection-meter.ts';
import { makeLoadFailure } from './failures.ts';
import { followTimeline } from './follow-timeline.ts';
import { silence } from './idle-load.ts';
import { Latch } from './latch.ts';
import type { LoadFigures, LoadSnapshot, RoleLoad } from './role-load.ts';
import type { ConnectingLoadOptions } from './role-load-options.ts';
import type { Instants, LoadPhase } from './timeline.ts';
import { waitAtMost } from './within.ts';

/**
 * Connections opened and closed one after the other in as many lanes as there are publishers. In the warm-up they
 * do not count; in the measure phase so many as the Trial asks, or as many as there is time for.
 */
export class HandshakeLoad implements RoleLoad {
  readonly #options: ConnectingLoadOptions;
  readonly #meter = new ConnectionMeter();
  readonly #ended = new Latch();
  #lanes: Promise<unknown> = Promise.resolve();
  #phase: LoadPhase | null = null;
  #begun = 0;
  #onEnter: (phase: LoadPhase) => void = () => {};
  #cancel: () => void = () => {};

  constructor(options: ConnectingLoadOptions) {
    this.#options = options;
  }

  attach(): Traffic {
    return silence;
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    if (this.#phase !== null) return;
    this.#onEnter = onEnter;
    this.#cancel = followTimeline(this.#options.clock, instants, (phase) => this.#enter(phase));
  }

  lose(): void {}

  stop(): void {
    this.#cancel();
    this.#phase = 'drain';
    this.#ended.open();
  }

  async drain(): Promise<Drained> {
    await this.#ended.opened;
    const timedOut = !(await waitAtMost(this.#options.command.spec.drainTimeoutMs, this.#lanes));
    return { messages: 0, timedOut };
  }

  snapshot(): LoadSnapshot {
    return { messages: this.#meter.opened, all: this.#begun, late: 0, latencyMs: null };
  }

  figures(): LoadFigures {
    const { connections } = this.#options.command.spec;
    const { opened, failed } = this.#meter;
    const all = opened + failed >= connections;
    return {
      counters: makeCounters({ connectionsOpened: opened, connectionsFailed: failed }),
      latency: null,
      lateness: null,
      histograms: this.#meter.histograms(),
      facts: {
        'workload.ended': all
          ? `all ${connections} connections were made`
          : `the measure phase was over after ${opened} of ${connections} connections`,
      },
      degraded: this.#meter.degraded(),
    };
  }

  #enter(phase: LoadPhase): void {
    if (this.#phase === 'drain') return;
    const first = this.#phase === null;
    this.#phase = phase;
    this.#onEnter(phase);
    if (phase === 'drain') this.stop();
    else if (first) {
      const lanes = Array.from({ length: this.#options.command.spec.publishers }, () => this.#runLane());
      this.#lanes = Promise.all(lanes);
    }
  }

  async #runLane(): Promise<void> {
    // The timeline may enter two phases at once; lanes begin when it is through.
    await Promise.resolve();
    while (this.#phase !== null && this.#phase !== 'drain') {
      const counts = this.#phase === 'measure';
      if (counts && this.#begun === this.#options.command.spec.connections) return;
      if (counts) this.#begun += 1;
      await this.#makeConnection(counts);
    }
  }

  async #makeConnection(counts: boolean): Promise<void> {
    const { command, clock, connections, onTrouble } = this.#options;
    const encrypted = command.spec.security !== 'plain';
    const connection = connections.make();
    try {
      const times = await openTimed(connection, { clock, encrypted });
      const mismatch = connection.findSessionMismatch();
      if (mismatch !== null) onTrouble(mismatch);
      await connections.close(connection);
      if (counts && this.#phase === 'measure') this.#meter.add(times);
    } catch (error) {
      connections.forget(connection);
      if (counts && this.#phase === 'measure') {
        this.#meter.fail(toFailure(error, makeLoadFailure('load-worker', '')).message);
      }
    }
    const { opened, failed } = this.#meter;
    if (opened + failed === command.spec.connections && this.#phase === 'measure') this.#enter('drain');
  }
}
