import { setTimeout as wait } from 'node:timers/promises';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { DeliveredResult } from '../testbed/agent-link.ts';
import { type DeviceClocks, joinClocks } from '../testbed/device-clocks.ts';
import { outcomeOfStored } from './settle-runs.ts';

/** Runs of a pre-flight have numbers from here on; their results are not kept. */
export const firstProbeRunId = 900_000_000_000;

interface ResultServiceOptions {
  runs: Pick<RunStore, 'find' | 'devicesOf' | 'saveResult' | 'results'>;
  /** The last result came for a Run that had been given up, and no role has failed. */
  onLateSet: (run: RunSummary) => void;
  onTrouble: (error: unknown) => void;
}

/** The results of one Run while somebody waits for them. */
export type ResultCollector = ReturnType<ResultService['open']>;
export type ResultService = ReturnType<typeof makeResultService>;

interface Collector {
  missing: Set<string>;
  /** The last result that came could not be kept. */
  trouble: { error: unknown } | null;
  clocks: DeviceClocks | null;
  onChange: () => void;
}

/** Where results arrive, in time or late. */
export function makeResultService(options: ResultServiceOptions) {
  const { runs } = options;
  const collectors = new Map<number, Collector>();

  const save = ({ deviceId, runId, result }: DeliveredResult): void => {
    const collector = collectors.get(runId);
    try {
      const clock = collector?.clocks?.get(deviceId) ?? null;
      runs.saveResult(runId, deviceId, { ...result, clock: joinClocks(result.clock, clock) });
      collector?.missing.delete(deviceId);
      if (collector) collector.trouble = null;
    } catch (error) {
      if (collector) collector.trouble = { error };
      throw error;
    } finally {
      collector?.onChange();
    }
  };

  const correctLate = (run: RunSummary): void => {
    if (run.status !== 'failed' && run.status !== 'interrupted') return;
    try {
      if (outcomeOfStored(runs, run.id)?.failure === null) options.onLateSet(run);
    } catch (error) {
      // With the disk full the result comes again; anything else is no fault of the result, which is stored.
      if (error instanceof StorageError) throw error;
      options.onTrouble(error);
    }
  };

  return {
    /**
     * Stores a result once; one that is there already is left as it is. Why it never will be stored, in words, or null:
     * what counts is what the device played in the Run, whatever it plays now. Throws StorageError; then nothing was kept.
     */
    store(delivered: DeliveredResult): string | null {
      const { runId, deviceId, result } = delivered;
      if (runId >= firstProbeRunId) return null;
      const run = runs.find(runId);
      if (run === null || run.status === 'planned') return `this server never began a run ${runId}`;
      // Nobody took part in a Run that was imported, so that nobody reports about it.
      if (runs.devicesOf(runId).get(deviceId) !== result.role)
        return `${deviceId} was no ${result.role} of run ${runId}`;
      save(delivered);
      if (!collectors.has(runId)) correctLate(run);
      return null;
    },
    /** From now on the results of these devices go to the collector; when it is closed, they are late. */
    open(runId: number, deviceIds: readonly string[]) {
      const collector: Collector = {
        missing: new Set(deviceIds),
        trouble: null,
        clocks: null,
        onChange: () => {},
      };
      collectors.set(runId, collector);
      return {
        /**
         * Resolves with the devices whose results did not come in time; none when all did. While results come and
         * cannot be stored it goes on for `unstoredMs`, and then rejects with the StorageError of the last.
         */
        wait: (timeoutMs: number, unstoredMs = 0): Promise<string[]> =>
          waitFor(collector, timeoutMs, unstoredMs),
        /** How the clocks of the devices compare, as far as it is known; results that come from now on carry it. */
        setClocks(clocks: DeviceClocks): void {
          collector.clocks = clocks;
        },
        close: (): void => void collectors.delete(runId),
      };
    },
  };
}

function waitFor(collector: Collector, timeoutMs: number, unstoredMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      if (collector.trouble) reject(collector.trouble.error);
      else resolve([...collector.missing]);
    };
    const timeUp = (): void => {
      if (collector.trouble && unstoredMs > timeoutMs) timer = setTimeout(end, unstoredMs - timeoutMs);
      else end();
    };
    let timer = setTimeout(timeUp, timeoutMs);
    collector.onChange = () => {
      if (collector.missing.size > 0) return;
      clearTimeout(timer);
      resolve([]);
    };
    collector.onChange();
  });
}

interface UntilStoredOptions {
  /** Aborted: somebody stops the server or cancels the Run, and a few tries more are all there are. */
  signal: AbortSignal;
  /** So long at most, ms. */
  timeoutMs: number;
  /** Called at the first failure and then each minute, with how long it has been going on, ms. */
  onWaiting: (error: StorageError, sinceMs: number) => void;
  everyMs?: number;
}

const tellEveryMs = 60_000;
const triesWhenStopped = 4;

/**
 * On a full disk nothing can go on: waits for room. Rejects with the StorageError once the time is over or the signal
 * aborted, and at once with any other error: waiting does not help there.
 */
export async function untilStored<T>(store: () => T, options: UntilStoredOptions): Promise<T> {
  const { signal, timeoutMs, onWaiting, everyMs = 500 } = options;
  const startedAt = performance.now();
  let toldAt: number | null = null;
  for (let stopped = 0; ; stopped += signal.aborted ? 1 : 0) {
    try {
      return store();
    } catch (error) {
      const sinceMs = performance.now() - startedAt;
      const isOver = sinceMs >= timeoutMs || stopped >= triesWhenStopped;
      if (!(error instanceof StorageError) || isOver) throw error;
      if (toldAt === null || sinceMs - toldAt >= tellEveryMs) {
        toldAt = sinceMs;
        onWaiting(error, sinceMs);
      }
      await wait(everyMs);
    }
  }
}
