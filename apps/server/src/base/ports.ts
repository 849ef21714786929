import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type {
  ExperimentDetail,
  ExperimentStatus,
  ExperimentSummary,
} from '@mqttlab/shared/domain/runs/experiment';
import type { LogLine, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Exclusion, Failure, RunDetail, RunStatus, RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import type {
  ExperimentAction,
  ExperimentList,
  ExperimentListQuery,
  TestbedStatus,
} from '@mqttlab/shared/messages/http';
import type { LiveEvent, LiveSnapshot } from '@mqttlab/shared/messages/live';

/** Contracts between the parts of the server; `app.ts` puts the real ones in. */

export interface ExperimentRecord {
  id: number;
  status: ExperimentStatus;
  name: string;
  tags: string[];
  notes: string;
  draft: ExperimentDraft;
  plan: Plan | null;
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** Place in the queue of its testbed: smaller first. */
  queuedAt: number | null;
  deletedAt: number | null;
  /** Set where it came in a bundle. */
  imported: ExperimentSummary['imported'];
}

export interface ExperimentStore {
  create(draft: ExperimentDraft): ExperimentRecord;
  find(id: number): ExperimentRecord | null;
  /** Ids in queued, running, pausing, paused or stopping. */
  listActive(): ExperimentRecord[];
  saveDraft(id: number, draft: ExperimentDraft): void;
  savePlan(id: number, plan: Plan): void;
  update(
    id: number,
    change: Partial<
      Pick<
        ExperimentRecord,
        'status' | 'name' | 'tags' | 'notes' | 'startedAt' | 'finishedAt' | 'queuedAt' | 'deletedAt'
      > & {
        /** Fewer than the plan has, where its rule ended it early. */
        trials: number;
      }
    >,
  ): void;
  summary(id: number): ExperimentSummary | null;
  /** `runs`: where they were read already, in pages. */
  detail(id: number, runs?: RunSummary[]): ExperimentDetail | null;
  list(query: ExperimentListQuery): ExperimentList;
}

interface NewRun {
  experimentId: number;
  trialNumber: number;
  block: number;
  treatmentKey: string;
  attempt: number;
  retryOf: number | null;
}

export interface RunStore {
  create(run: NewRun): RunSummary;
  find(id: number): RunSummary | null;
  detail(id: number): RunDetail | null;
  /** Oldest first. */
  listOf(experimentId: number): RunSummary[];
  listUnsettled(): RunSummary[];
  update(
    id: number,
    change: {
      status?: RunStatus;
      startedAt?: number;
      finishedAt?: number;
      measuredAt?: number;
      overheadMs?: number;
      failure?: Failure | null;
      notes?: string;
      tags?: string[];
      exclusion?: Exclusion | null;
    },
  ): void;
  /** Counts, durably, that settling this Run is begun; returns how often it was. */
  beginSettling(runId: number): number;
  /** When the last of its results arrived, Unix ms; null where none did. */
  lastResultAt(runId: number): number | null;
  /** Who takes part, as what; before anything of the Run is sent. */
  saveDevices(runId: number, devices: readonly { deviceId: string; role: Role }[]): void;
  /** By device; empty for a Run that was made before this was kept. */
  devicesOf(runId: number): ReadonlyMap<string, Role>;
  /** One transaction; false when this role's result is already there (nothing is overwritten). */
  saveResult(runId: number, deviceId: string, result: RoleResult): boolean;
  results(runId: number): RoleResult[];
  /** Writes verdicts, flag and metrics, computed from the stored results. */
  saveSummary(
    runId: number,
    summary: {
      verdicts: Verdict[];
      metrics: Record<string, number | null>;
      /** What the figures of each group rest on. */
      bases?: Record<string, string>;
      /** By which definitions they were computed; the present ones where nothing is said. */
      definitions?: number;
    },
  ): void;
  appendLog(entry: { experimentId: number | null; runId: number | null; line: LogLine }): void;
  /** Newest last. */
  recentLog(limit: number): { experimentId: number | null; runId: number | null; line: LogLine }[];
  /** Median of overheadMs over the last finished runs on a testbed, or null. */
  medianOverheadMs(testbedId: string): number | null;
}

/**
 * Starts, stops and settles Runs. Actions that do not fit the status throw a ProblemError of status 409 (errors.ts).
 * Before "start" of a draft, HTTP has parsed the plan against the testbed and kept it with savePlan; act then queues
 * it. The conductor ends every Run with finishRun of analysis/finish-run.ts.
 */
export interface Conductor {
  start(): Promise<void>;
  stop(): Promise<void>;
  act(experimentId: number, action: Exclude<ExperimentAction, 'clone' | 'restore'>): Promise<void>;
}

export interface Testbeds {
  list(): TestbedStatus[];
  find(testbedId: string): TestbedStatus | null;
  capabilities(testbedId: string): TestbedCapabilities | null;
}

/** Tells browsers what happens; keeps the last events for resuming. */
export interface LiveBus {
  publish(event: Omit<LiveEvent, 'id' | 'at'>): void;
  snapshot(): LiveSnapshot;
}
