import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import { Latch, waitAtMost } from '@mqttlab/shared/kit/waiting';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { Traffic } from '../mqtt/connection.ts';
import { ConnectionMeter, openTimed } from './counting/connection-meter.ts';
import { followTimeline, type Instants, type LoadPhase } from './pacing/timeline.ts';
import type { ConnectingLoadOptions, LoadFigures, RoleLoad, RoleLoadOptions } from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

/** What a connection does that carries no messages of the workload. */
export const silence: Traffic = { onPublish: () => {}, onAcknowledgement: () => {}, afterChunk: () => {} };

/** A role with connections but nothing to do: the subscriber of a workload that carries no messages. */
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

/** A load that makes its own connections and sends no messages; over when the timeline is, or by itself before. */
export abstract class ConnectingLoad implements RoleLoad {
  protected readonly options: ConnectingLoadOptions;
  protected readonly meter = new ConnectionMeter();
  /** Under way; waited for when all is drained. */
  protected work: Promise<unknown> = Promise.resolve();
  readonly #ended = new Latch();
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

  /** Local µs. Throws before the load was started. */
  protected get instants(): Instants {
    if (this.#instants === null) throw new Error('this load was not started');
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
    this.#ended.open();
  }

  async drain(): Promise<Drained> {
    await this.#ended.opened;
    const timedOut = !(await waitAtMost(this.options.command.spec.drainTimeoutMs, this.work));
    return { messages: 0, timedOut };
  }

  snapshot(): LoadSnapshot {
    const { opened } = this.meter;
    return { messages: opened, all: this.begun(), late: 0, latencyMs: null };
  }

  abstract figures(): LoadFigures;

  /** Connections begun in the measure phase. */
  protected abstract begun(): number;

  /** `before` is null at the first phase. */
  protected abstract begin(phase: LoadPhase, before: LoadPhase | null): void;

  /** Each phase once; none after 'drain'. */
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
 * Connections opened and closed one after the other in as many lanes as there are publishers. In the warm-up they
 * do not count; in the measure phase so many as the Trial asks, or as many as there is time for.
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
          : `the measure phase was over after ${opened} of ${connections} connections`,
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
    // The timeline may enter two phases at once; lanes begin when it is through.
    await Promise.resolve();
    while (this.phase !== null && this.phase !== 'drain') {
      const counts = this.phase === 'measure';
      if (counts && this.#begun === this.options.command.spec.connections) return;
      if (counts) this.#begun += 1;
      await this.#makeConnection(counts);
    }
  }

  async #makeConnection(counts: boolean): Promise<void> {
    const { command, clock, connections, onTrouble } = this.options;
    const connection = connections.make();
    try {
      const times = await openTimed(connection, { clock, onTrouble });
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
