import * as z from 'zod';
import { roles } from '../domain/devices/device.ts';
import { experimentSummarySchema } from '../domain/runs/experiment.ts';
import { logLineSchema } from '../domain/runs/role-result.ts';
import { runSummarySchema } from '../domain/runs/run.ts';
import { phases } from '../domain/runs/statuses.ts';
import { progressSchema } from './agent.ts';
import { testbedStatusSchema } from './http.ts';

export const phaseNowSchema = z.strictObject({
  role: z.enum(roles),
  deviceId: z.string().optional(),
  phase: z.enum(phases),
  /** Duration in µs; null while the phase is active. */
  durationUs: z.number().nullable(),
});

/** The current run with all live data so far, so that viewers who connect late see the same data. */
export const currentRunSchema = z.strictObject({
  run: runSummarySchema,
  phases: z.array(phaseNowSchema),
  /** Oldest first, at most 600 per device. */
  progress: z.array(progressSchema),
});

export const storageFailures = ['full', 'read-only', 'io', 'corrupt', 'gone'] as const;

/** Reason why the server cannot store data; stored data can still be read. */
export const storageFailureSchema = z.strictObject({
  code: z.enum(storageFailures),
  message: z.string(),
  remedy: z.string(),
  /** Unix ms. */
  since: z.number(),
});

export type StorageFailure = z.infer<typeof storageFailureSchema>;

export const liveSnapshotSchema = z.strictObject({
  /** Experiments that are queued, running or paused. */
  active: z.array(experimentSummarySchema),
  testbeds: z.array(testbedStatusSchema),
  current: z.array(currentRunSchema),
  /** Reason why data cannot be stored; null if data can be stored. */
  storage: storageFailureSchema.nullable(),
  /** Newest last, at most 200 lines. */
  log: z.array(
    z.strictObject({ experimentId: z.int().nullable(), runId: z.int().nullable(), line: logLineSchema }),
  ),
});

const envelope = {
  /** Increases by one for each event; `0` for a snapshot that starts a series. */
  id: z.int(),
  /** Unix ms. */
  at: z.number(),
  experimentId: z.int().nullable(),
  runId: z.int().nullable(),
};

/** The WebSocket only sends: a snapshot, then deltas. */
export const liveEventSchema = z.discriminatedUnion('event', [
  z.strictObject({ ...envelope, event: z.literal('snapshot'), data: liveSnapshotSchema }),
  z.strictObject({ ...envelope, event: z.literal('experiment'), data: experimentSummarySchema }),
  z.strictObject({ ...envelope, event: z.literal('run'), data: runSummarySchema }),
  z.strictObject({ ...envelope, event: z.literal('phase'), data: phaseNowSchema }),
  z.strictObject({ ...envelope, event: z.literal('progress'), data: progressSchema }),
  z.strictObject({ ...envelope, event: z.literal('log'), data: logLineSchema }),
  z.strictObject({ ...envelope, event: z.literal('testbed'), data: testbedStatusSchema }),
  z.strictObject({ ...envelope, event: z.literal('storage'), data: storageFailureSchema.nullable() }),
]);

export type PhaseNow = z.infer<typeof phaseNowSchema>;
export type CurrentRun = z.infer<typeof currentRunSchema>;
export type LiveSnapshot = z.infer<typeof liveSnapshotSchema>;
export type LiveEvent = z.infer<typeof liveEventSchema>;
