import type { RunSummary } from '@mqttlab/shared/domain/run';
import type { RunStore } from '../ports.ts';
import type { DeliveredResult } from '../testbed/agent-link.ts';
import { outcomeOfStored } from './late-run.ts';
import type { DeviceClocks } from './run-clocks.ts';

/** Runs of a pre-flight have numbers from here on; their results are not kept. */
export const firstProbeRunId = 900_000_000_000;

export interface ResultDeskOptions {
  runs: Pick<RunStore, 'find' | 'devicesOf' | 'saveResult' | 'results'>;
  /** The last result came for a Run that had been given up, and no role has failed. */
  onLateSet: (run: RunSummary) => void;
  onLog: (level: 'info' | 'warn', text: string) => void;
}

/** The results of one Run while somebody waits for them. */
export interface ResultTray {
  /**
   * Resolves with the devices whose results did not come in time; none when all did. Rejects with the StorageError
   * of a result that could not be kept.
   */
  wait(timeoutMs: number): Promise<string[]>;
  /** How the clocks of the devices compare, as far as it is known; results that come from now on carry it. */
  setClocks(clocks: DeviceClocks): void;
  close(): void;
}

export interface ResultDesk {
  /**
   * Stores a result once; one that is there already is left as it is. False where the device did not play that role
   * in the Run, whatever it plays now. Throws StorageError; then nothing was kept.
   */
  take(delivered: DeliveredResult): boolean;
  /** From now on the results of these devices go to the tray; when it is closed, they are late. */
  open(runId: number, deviceIds: readonly string[]): ResultTray;
}

interface Tray {
  missing: Set<string>;
  /** The first result that could not be kept. */
  trouble: { error: unknown } | null;
  clocks: DeviceClocks | null;
  onChange: () => void;
}

/** Where results arrive, in time or late. */
export function makeResultDesk(options: ResultDeskOptions): ResultDesk {
  const { runs } = options;
  const trays = new Map<number, Tray>();

  const save = ({ deviceId, runId, result }: DeliveredResult): boolean => {
    const tray = trays.get(runId);
    try {
      const clock = tray?.clocks?.get(deviceId) ?? null;
      const saved = runs.saveResult(runId, deviceId, { ...result, clock });
      tray?.missing.delete(deviceId);
      return saved;
    } catch (error) {
      if (tray) tray.trouble ??= { error };
      throw error;
    } finally {
      tray?.onChange();
    }
  };

  const takeLate = (run: RunSummary): void => {
    if (run.status !== 'failed' && run.status !== 'interrupted') return;
    if (outcomeOfStored(runs, run.id)?.failure === null) options.onLateSet(run);
  };

  return {
    take(delivered) {
      const { runId, deviceId, result } = delivered;
      if (runId >= firstProbeRunId) return true;
      const devices = runs.devicesOf(runId);
      if (devices.size > 0 && devices.get(deviceId) !== result.role) return false;
      const run = runs.find(runId);
      if (run === null || run.status === 'planned') {
        options.onLog('warn', `${deviceId} sent a result of run ${runId}, which never ran here; dropped`);
        return true;
      }
      if (save(delivered) && !trays.has(runId)) takeLate(run);
      return true;
    },
    open(runId, deviceIds) {
      const tray: Tray = { missing: new Set(deviceIds), trouble: null, clocks: null, onChange: () => {} };
      trays.set(runId, tray);
      return {
        wait: (timeoutMs) => waitFor(tray, timeoutMs),
        setClocks(clocks) {
          tray.clocks = clocks;
        },
        close: () => void trays.delete(runId),
      };
    },
  };
}

function waitFor(tray: Tray, timeoutMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve([...tray.missing]), timeoutMs);
    tray.onChange = () => {
      if (tray.trouble) reject(tray.trouble.error);
      else if (tray.missing.size === 0) resolve([]);
      else return;
      clearTimeout(timer);
    };
    tray.onChange();
  });
}
