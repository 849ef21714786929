import { flagName } from '@mqttlab/shared/catalogue/flags';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import type { WebhookEvent, WebhookMessage } from '@mqttlab/shared/messages/webhooks';
import type { Testbeds } from '../devices/testbeds.ts';
import type { ExperimentRecord, ExperimentStore } from '../store/experiments/experiment-store.ts';

/** An event for webhooks. */
export type Happening = { event: WebhookEvent; at: number } & (
  | { experiment: ExperimentSummary; run?: RunSummary }
  | { device: WatchedDevice }
);

interface WatchedDevice {
  id: string;
  name: string;
  testbedId: string;
  testbed: string;
  online: boolean;
}

interface EventWatchOptions {
  experiments: Pick<ExperimentStore, 'listActiveExperiments' | 'findExperimentSummary'>;
  testbeds: Pick<Testbeds, 'findTestbed'>;
  onHappening: (happening: Happening) => void;
  /** Called if a disk error prevented an event from being reported. */
  onError: (error: unknown) => void;
  /** A device that reconnects within this time does not count as offline: its agent was restarted. */
  awayMs: number;
  nowMs: () => number;
}

export interface EventWatch {
  take(event: LiveEvent): void;
  stop(): void;
}

type Seen = Pick<ExperimentSummary, 'status' | 'startedAt'>;
type RunState = 'other' | 'failed' | 'flagged';

/** Maximum number of remembered runs, so that a run that is evaluated again is not reported twice. */
const maxRuns = 5000;

/** Derives webhook events from browser events; only a few are relevant. */
export function startEventWatch(options: EventWatchOptions): EventWatch {
  const experiments = new Map<number, Seen>(
    options.experiments
      .listActiveExperiments()
      .map(({ id, status, startedAt }): [number, Seen] => [id, { status, startedAt }]),
  );
  const runs = new Map<number, RunState>();
  const devices = watchDevices(options);

  const takeExperiment = (experiment: ExperimentSummary, at: number): void => {
    const before = experiments.get(experiment.id);
    const { status, startedAt } = experiment;
    experiments.set(experiment.id, { status, startedAt });
    // An experiment seen for the first time ended before this server started, or is being created.
    if (!before) return;
    const event = findExperimentEvent(before, experiment);
    if (event) options.onHappening({ event, at, experiment });
  };

  const takeRun = (run: RunSummary, at: number): void => {
    const before = runs.get(run.id);
    const state = stateOfRun(run);
    runs.delete(run.id);
    runs.set(run.id, state);
    for (const oldest of runs.keys()) {
      if (runs.size <= maxRuns) break;
      runs.delete(oldest);
    }
    if (before === undefined || before === state || state === 'other') return;
    const experiment = options.experiments.findExperimentSummary(run.experimentId);
    if (experiment) options.onHappening({ event: `run.${state}`, at, experiment, run });
  };

  return {
    take({ event, at, data }) {
      if (event === 'experiment') takeExperiment(data, at);
      else if (event === 'run') takeRun(data, at);
      else if (event === 'testbed') devices.take(data);
    },
    stop: devices.stop,
  };
}

function findExperimentEvent(before: Seen, { status, startedAt, progress }: ExperimentSummary) {
  if (before.status !== status) {
    if (status === 'paused') return 'experiment.paused';
    if (isFinished(status) && !isFinished(before.status)) {
      if (status !== 'done') return 'experiment.cancelled';
      return progress.failed > 0 ? 'experiment.failed' : 'experiment.done';
    }
  }
  return before.startedAt === null && startedAt !== null ? 'experiment.started' : null;
}

function stateOfRun({ status, flagged }: RunSummary): RunState {
  if (status === 'failed') return 'failed';
  return status === 'done' && flagged ? 'flagged' : 'other';
}

function watchDevices({ testbeds, onHappening, onError, awayMs, nowMs }: EventWatchOptions) {
  /** Devices that were online; false after they were reported as offline. */
  const known = new Map<string, boolean>();
  const leaving = new Map<string, NodeJS.Timeout>();

  const report = (device: WatchedDevice): void => {
    known.set(device.id, device.online);
    onHappening({ event: device.online ? 'device.online' : 'device.offline', at: nowMs(), device });
  };
  const stay = (deviceId: string): void => {
    clearTimeout(leaving.get(deviceId));
    leaving.delete(deviceId);
  };
  const noteAway = (device: WatchedDevice): void => {
    if (known.get(device.id) !== true || leaving.has(device.id)) return;
    const timer = setTimeout(() => {
      leaving.delete(device.id);
      // The device may have been removed from the testbed in the meantime.
      const now = testbeds
        .findTestbed(device.testbedId)
        ?.devices.find(({ deviceId }) => deviceId === device.id);
      try {
        if (now && !now.online) report(device);
        else if (!now) known.delete(device.id);
      } catch (error) {
        onError(error);
      }
    }, awayMs);
    leaving.set(device.id, timer);
  };

  return {
    take(status: TestbedStatus) {
      for (const { deviceId, name, online, standby } of status.devices) {
        // Another device reports for this device.
        if (standby) continue;
        const { testbedId, name: testbed } = status;
        const device = { id: deviceId, name, testbedId, testbed, online };
        if (!online) noteAway(device);
        else {
          stay(deviceId);
          if (known.get(deviceId) === false) report(device);
          known.set(deviceId, true);
        }
      }
    },
    stop() {
      for (const timer of leaving.values()) clearTimeout(timer);
      leaving.clear();
    },
  };
}

interface MessageContext {
  /** Origin for links; null if unknown. */
  origin: string | null;
  findExperiment: (id: number) => Pick<ExperimentRecord, 'plan'> | null;
}

export function makeMessage(happening: Happening, context: MessageContext): WebhookMessage {
  const { origin } = context;
  const { event, at } = happening;
  const head = { schemaVersion: 1 as const, event, time: new Date(at).toISOString() };
  if ('device' in happening) {
    const { device } = happening;
    const link = linkTo(origin, `/devices/${encodeURIComponent(device.id)}`);
    return { ...head, experiment: null, run: null, device: { ...device, link } };
  }
  const { experiment, run } = happening;
  return {
    ...head,
    experiment: describeExperiment(experiment, origin),
    run: run ? describeRun(run, context) : null,
    device: null,
  };
}

export function makeTestMessage(at: number): WebhookMessage {
  const time = new Date(at).toISOString();
  return { schemaVersion: 1, event: 'test', time, experiment: null, run: null, device: null };
}

function describeExperiment(
  { id, name, status, progress, headline }: ExperimentSummary,
  origin: string | null,
) {
  const { trials, done, failed, flagged } = progress;
  const finding = headline?.sentence ?? null;
  const link = linkTo(origin, `/experiments/${id}`);
  return { id, name, status, trials, done, failed, flagged, finding, link };
}

function describeRun(run: RunSummary, { origin, findExperiment }: MessageContext) {
  const { id, experimentId, trialNumber, block, attempt, treatmentKey, status, flagged } = run;
  const treatments = findExperiment(experimentId)?.plan?.treatments ?? [];
  return {
    id,
    trialNumber,
    block,
    attempt,
    status,
    flagged,
    treatment: treatments.find(({ key }) => key === treatmentKey)?.label ?? treatmentKey,
    reasons: run.failure
      ? [run.failure.message]
      : run.verdicts
          .filter((verdict) => verdict.status === 'failed')
          .map((verdict) => `${flagName(verdict)}: ${verdict.evidence}`),
    link: linkTo(origin, `/experiments/${experimentId}/runs/${id}`),
  };
}

function linkTo(origin: string | null, path: string): string | null {
  return origin === null ? null : origin + path;
}
