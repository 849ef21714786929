import { flagName } from '@mqttlab/shared/catalogue/flags';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { WebhookMessage } from '@mqttlab/shared/messages/webhooks';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import type { Happening } from './watch-events.ts';

export interface MessageContext {
  /** What links begin with; null where nobody knows. */
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
