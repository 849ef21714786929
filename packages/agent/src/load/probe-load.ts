import type { Series } from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import { waitAtMost, within } from '@mqttlab/shared/kit/waiting';
import { loadFailure, toLoadFailure } from '../processes/failures.ts';
import { ConnectingLoad } from './connecting-load.ts';
import { openTimed } from './counting/connection-meter.ts';
import type { LoadPhase } from './pacing/timeline.ts';
import type { LoadFigures } from './role-load.ts';

const everyMs = 100;
/** Timeout of a client in this workload. */
const patienceMs = 2_000;

interface Attempt {
  /** In ms since the start of the measure phase; negative before the abuse begins. */
  dueMs: number;
  setUpMs: number | null;
}

/**
 * The legitimate client: repeatedly tries to connect on a schedule that does not wait for the previous attempt, and
 * disconnects immediately after success.
 */
export class ProbeLoad extends ConnectingLoad {
  readonly #attempts: Attempt[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #firstFailure: string | null = null;
  #stopped = false;

  override stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.work = Promise.all(this.#underWay);
    super.stop();
  }

  figures(): LoadFigures {
    const { opened, failed } = this.meter;
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
      histograms: this.meter.histograms(),
      series,
      // A refused client is an observation of this workload, not an error of the measurement.
      facts: {
        'probe.everyMs': everyMs,
        'probe.patienceMs': patienceMs,
        'probe.firstFailure': this.#firstFailure,
      },
    };
  }

  protected begun(): number {
    return this.#attempts.length;
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'warm-up') this.#schedule(this.instants.warmUpAtUs);
  }

  #schedule(dueUs: number): void {
    const { measureAtUs, stopAtUs } = this.instants;
    if (this.#stopped || dueUs >= stopAtUs) return;
    const waitMs = (dueUs - this.options.clock.nowUs()) / 1000;
    this.#timer = setTimeout(
      () => {
        const attempt = this.#tryOnce((dueUs - measureAtUs) / 1000);
        this.#underWay.add(attempt);
        void attempt.finally(() => this.#underWay.delete(attempt));
        this.#schedule(dueUs + everyMs * 1000);
      },
      Math.max(0, waitMs),
    );
  }

  async #tryOnce(dueMs: number): Promise<void> {
    const { clock, connections } = this.options;
    const counts = dueMs >= 0;
    const attempt: Attempt = { dueMs, setUpMs: null };
    this.#attempts.push(attempt);
    const connection = connections.make();
    try {
      const tooLong = () => loadFailure('timeout', 'The broker did not accept the client in time.');
      const times = await within(patienceMs, tooLong, openTimed(connection, { clock }));
      attempt.setUpMs = times.setUpUs / 1000;
      if (counts) this.meter.add(times);
      await waitAtMost(patienceMs, connections.close(connection));
    } catch (error) {
      this.#firstFailure ??= toLoadFailure(error).message;
      if (counts) this.meter.fail(error);
    } finally {
      connections.forget(connection);
    }
  }
}
