import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import { waitAtMost } from '@mqttlab/shared/kit/waiting';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { Traffic } from '../mqtt/connection.ts';
import { ConnectionMeter, openTimed } from './counting/connection-meter.ts';
import { followTimeline, type Instants, type LoadPhase } from './pacing/timeline.ts';
import type { ConnectingLoadOptions, LoadFigures, RoleLoad, RoleLoadOptions } from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

/** Handles a connection without workload messages. */
export const silence: Traffic = { onPublish: () => {}, onAcknowledgement: () => {}, afterChunk: () => {} };

/** Makes the load of a role with idle connections: the subscriber in a workload without messages. */
export function makeIdleLoad({ clock }: Pick<RoleLoadOptions, 'clock'>): RoleLoad {
  let cancel = (): void => {};
  return {
    attach: () => silence,
    start(instants, onEnter) {
      cancel = followTimeline(clock, instants, onEnter).cancel;
    },
    lose: () => {},
    stop: () => cancel(),
    drain: async () => ({ messages: 0, timedOut: false }),
    snapshot: () => ({ messages: 0, all: 0, late: 0, latencyMs: null }),
    figures: () => ({ counters: makeCounters() }),
  };
}

/** A load that opens its own connections and sends no messages. It ends with the timeline or earlier. */
export abstract class ConnectingLoad implements RoleLoad {
  protected readonly options: ConnectingLoadOptions;
  protected readonly meter = new ConnectionMeter();
  /** Pending operations, which are awaited when draining. */
  protected work: Promise<unknown> = Promise.resolve();
  readonly #ended = Promise.withResolvers<void>();
  #phase: LoadPhase | null = null;
  #instants: Instants | null = null;
  #onEnter: (phase: LoadPhase) => void = () => {};
  #cancel: () => void = () => {};

  constructor(options: ConnectingLoadOptions) {
    this.options = options;
  }

  protected get phase(): LoadPhase | null {
    return this.#phase;
  }

  /** Returns the times in µs on the local clock. Throws before the load is started. */
  protected get instants(): Instants {
    if (this.#instants === null) throw new Error('this load has not been started');
    return this.#instants;
  }

  attach(): Traffic {
    return silence;
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    if (this.#phase !== null) return;
    this.#onEnter = onEnter;
    this.#instants = instants;
    this.#cancel = followTimeline(this.options.clock, instants, (phase) => this.enter(phase)).cancel;
  }

  lose(): void {}

  stop(): void {
    this.#cancel();
    this.#phase = 'drain';
    this.#ended.resolve();
  }

  async drain(): Promise<Drained> {
    await this.#ended.promise;
    const timedOut = !(await waitAtMost(this.options.command.spec.drainTimeoutMs, this.work));
    return { messages: 0, timedOut };
  }

  snapshot(): LoadSnapshot {
    const { opened } = this.meter;
    return { messages: opened, all: this.begun(), late: 0, latencyMs: null };
  }

  abstract figures(): LoadFigures;

  /** Connections started in the measure phase. */
  protected abstract begun(): number;

  /** `before` is null in the first phase. */
  protected abstract begin(phase: LoadPhase, before: LoadPhase | null): void;

  /** Called once per phase, but not after 'drain'. */
  protected enter(phase: LoadPhase): void {
    const before = this.#phase;
    if (before === 'drain') return;
    this.#phase = phase;
    this.#onEnter(phase);
    if (phase === 'drain') this.stop();
    else this.begin(phase, before);
  }
}

/**
 * Opens and closes connections one after the other, in one lane per publisher. Warm-up connections do not
 * count. In the measure phase, it opens the number of connections that the trial requests, or as many as the
 * time allows.
 */
export class HandshakeLoad extends ConnectingLoad {
  #begun = 0;

  figures(): LoadFigures {
    const { connections } = this.options.command.spec;
    const { opened, failed } = this.meter;
    const all = opened + failed >= connections;
    return {
      counters: makeCounters(this.meter.counters()),
      histograms: this.meter.histograms(),
      facts: {
        'workload.ended': all
          ? `all ${connections} connections were made`
          : `the measure phase ended after ${opened} of ${connections} connections`,
      },
      degraded: this.meter.degraded(),
    };
  }

  override snapshot(): LoadSnapshot {
    return { ...super.snapshot(), soFar: this.meter.soFar() };
  }

  protected begun(): number {
    return this.#begun;
  }

  protected begin(_phase: LoadPhase, before: LoadPhase | null): void {
    if (before !== null) return;
    const lanes = Array.from({ length: this.options.command.spec.publishers }, () => this.#runLane());
    this.work = Promise.all(lanes);
  }

  async #runLane(): Promise<void> {
    // The timeline can enter two phases at once; lanes start after both.
    await Promise.resolve();
    while (this.phase !== null && this.phase !== 'drain') {
      const counts = this.phase === 'measure';
      if (counts && this.#begun === this.options.command.spec.connections) return;
      if (counts) this.#begun += 1;
      await this.#makeConnection(counts);
    }
  }

  async #makeConnection(counts: boolean): Promise<void> {
    const { command, clock, connections, onFailure } = this.options;
    const connection = connections.make();
    try {
      const times = await openTimed(connection, { clock, onFailure });
      await connections.close(connection);
      if (counts && this.phase === 'measure') {
        this.meter.add(times);
        this.meter.addBytes(connection.transport);
      }
    } catch (error) {
      connections.forget(connection);
      if (counts && this.phase === 'measure') this.meter.fail(error);
    }
    const { opened, failed } = this.meter;
    if (opened + failed === command.spec.connections && this.phase === 'measure') this.enter('drain');
  }
}
