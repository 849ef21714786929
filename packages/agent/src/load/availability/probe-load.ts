import { makeCounters } from '@mqttlab/shared/domain/make-counters';
import type { Series } from '@mqttlab/shared/domain/role-result';
import type { Drained } from '@mqttlab/shared/protocol/agent';
import { toFailure } from '../../run-failure.ts';
import type { Traffic } from '../connection.ts';
import { ConnectionMeter, openTimed } from '../connection-meter.ts';
import { loadFailure, makeLoadFailure } from '../failures.ts';
import { followTimeline } from '../follow-timeline.ts';
import { silence } from '../idle-load.ts';
import { Latch } from '../latch.ts';
import type { LoadFigures, LoadSnapshot, RoleLoad } from '../role-load.ts';
import type { ConnectingLoadOptions } from '../role-load-options.ts';
import type { Instants, LoadPhase } from '../timeline.ts';
import { waitAtMost, within } from '../within.ts';

const everyMs = 100;
/** A client that waited for so long gives up, as far as this workload is concerned. */
const patienceMs = 2_000;

interface Attempt {
  /** Since the start of the measure phase; below 0 nobody abuses the broker yet. */
  dueMs: number;
  setUpMs: number | null;
}

/**
 * The legitimate client: tries to connect again and again, on a schedule that does not wait for the attempt before,
 * and leaves at once where it succeeded.
 */
export class ProbeLoad implements RoleLoad {
  readonly #options: ConnectingLoadOptions;
  readonly #meter = new ConnectionMeter();
  readonly #attempts: Attempt[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #ended = new Latch();
  #cancel: () => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  #firstFailure: string | null = null;
  #stopped = false;

  constructor(options: ConnectingLoadOptions) {
    this.#options = options;
  }

  attach(): Traffic {
    return silence;
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    this.#cancel = followTimeline(this.#options.clock, instants, (phase) => {
      onEnter(phase);
      if (phase === 'warm-up') this.#schedule(instants, instants.warmUpAtUs);
      if (phase === 'drain') this.stop();
    });
  }

  lose(): void {}

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancel();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#ended.open();
  }

  async drain(): Promise<Drained> {
    await this.#ended.opened;
    const all = Promise.all(this.#underWay);
    return { messages: 0, timedOut: !(await waitAtMost(this.#options.command.spec.drainTimeoutMs, all)) };
  }

  snapshot(): LoadSnapshot {
    const { opened } = this.#meter;
    return { messages: opened, all: this.#attempts.length, late: 0, latencyMs: null };
  }

  figures(): LoadFigures {
    const { opened, failed } = this.#meter;
    const attempts = this.#attempts.toSorted((a, b) => a.dueMs - b.dueMs);
    const timesMs = attempts.map(({ dueMs }) => dueMs);
    const series: Series[] = [
      {
        metric: 'probe.reached',
        unit: '',
        timesMs,
        values: attempts.map(({ setUpMs }) => (setUpMs === null ? 0 : 1)),
      },
      { metric: 'probe.setUp', unit: 'ms', timesMs, values: attempts.map(({ setUpMs }) => setUpMs) },
    ];
    return {
      counters: makeCounters({ connectionsOpened: opened, connectionsFailed: failed }),
      latency: null,
      lateness: null,
      histograms: this.#meter.histograms(),
      series,
      // A client that is kept out is what this workload is about, and no trouble with the measurement.
      facts: {
        'probe.everyMs': everyMs,
        'probe.patienceMs': patienceMs,
        'probe.firstFailure': this.#firstFailure,
      },
      degraded: [],
    };
  }

  #schedule(instants: Instants, dueUs: number): void {
    if (this.#stopped || dueUs >= instants.stopAtUs) return;
    const waitMs = (dueUs - this.#options.clock.nowUs()) / 1000;
    this.#timer = setTimeout(
      () => {
        const attempt = this.#tryOnce((dueUs - instants.measureAtUs) / 1000);
        this.#underWay.add(attempt);
        void attempt.finally(() => this.#underWay.delete(attempt));
        this.#schedule(instants, dueUs + everyMs * 1000);
      },
      Math.max(0, waitMs),
    );
  }

  async #tryOnce(dueMs: number): Promise<void> {
    const { command, clock, connections } = this.#options;
    const counts = dueMs >= 0;
    const attempt: Attempt = { dueMs, setUpMs: null };
    this.#attempts.push(attempt);
    const connection = connections.make();
    try {
      const encrypted = command.spec.security !== 'plain';
      const tooLong = () => loadFailure('timeout', 'The broker did not let the client in in time.');
      const times = await within(patienceMs, tooLong, openTimed(connection, { clock, encrypted }));
      attempt.setUpMs = times.setUpUs / 1000;
      if (counts) this.#meter.add(times);
      await waitAtMost(patienceMs, connections.close(connection));
    } catch (error) {
      const { message } = toFailure(error, makeLoadFailure('load-worker', ''));
      this.#firstFailure ??= message;
      if (counts) this.#meter.fail(message);
    } finally {
      connections.forget(connection);
    }
  }
}
