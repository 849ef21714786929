import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { ExperimentAction, TestbedStatus } from '@mqttlab/shared/messages/http';
import type { LiveEvent, LiveSnapshot } from '@mqttlab/shared/messages/live';

/** Contracts between the parts of the server; `app.ts` puts the real ones in. */

/**
 * Starts, stops and settles Runs. Actions that do not fit the status throw a ProblemError of status 409 (errors.ts).
 * Before "start" of a draft, HTTP has parsed the plan against the testbed and kept it with savePlan; act then queues
 * it. The conductor ends every Run with finishRun of analysis/finish-run.ts.
 */
export interface Conductor {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** HTTP queued an experiment: shows it and wakes its queue. */
  noteQueued(experimentId: number): void;
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
