import { usualMetric } from '@mqttlab/shared/analysis/run-values';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { answers } from '@mqttlab/shared/catalogue/workloads';
import type { ExperimentDraft, Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import { shownFieldsOf, type WorkloadKind } from '@mqttlab/shared/domain/plans/workload';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatDuration } from '../../../ui/format.ts';

/** Metric groups that require messages. */
const needsMessages = ['latency', 'traffic', 'delivery', 'payload', 'generator'];

interface KindLook {
  kind: WorkloadKind;
  label: string;
  /** One sentence that states what the workload does and what it measures. */
  sentence: string;
  /** True if a number of connections determines the length; the measure time is then only a limit. */
  isCounted?: true;
}

export const kindLooks: readonly KindLook[] = [
  {
    kind: 'stream',
    label: 'Stream',
    sentence: 'Messages at a constant rate: latency, throughput, CPU and energy under load.',
  },
  {
    kind: 'burst',
    label: 'Burst',
    sentence: 'Messages in bursts with pauses: queue behaviour and the cost of idle time.',
  },
  {
    kind: 'reconnect',
    label: 'Reconnect',
    sentence: 'A new connection for every message, like sensors that sleep between messages.',
  },
  {
    kind: 'handshake',
    label: 'Handshake',
    sentence:
      'Connections opened and closed in sequence: duration of each phase, and connections per second.',
    isCounted: true,
  },
  {
    kind: 'states',
    label: 'States',
    sentence: 'Bytes on the wire for each step: connect, subscribe, publish and disconnect.',
    isCounted: true,
  },
  {
    kind: 'availability',
    label: 'Availability',
    sentence:
      'Whether and how fast a client can connect while an attacker occupies connections or sessions of the testbed’s own broker.',
  },
];

export function lookOf(kind: WorkloadKind): KindLook {
  const look = kindLooks.find((one) => one.kind === kind);
  if (!look) throw new Error(`no style for the workload ${kind}`);
  return look;
}

interface StripPart {
  /** Style of a phase: measured phases are highlighted, phases of variable length are dashed. */
  tone: 'before' | 'measure' | 'open';
  name: string;
  words: string;
  /** Share of the width. */
  weight: number;
}

type PartsOf = (workload: Workload) => StripPart[];

const streams: PartsOf = (workload) => {
  const { messages } = workload;
  if (messages === null) return paces(workload);
  const words = `${formatCount(messages)} messages`;
  return paces(workload).map((part) => (part.name === 'measure' ? { ...part, words } : part));
};

const paces: PartsOf = ({ warmUpMs, measureMs, drainTimeoutMs }) => [
  { tone: 'before', name: 'warm-up', words: formatDuration(warmUpMs), weight: warmUpMs },
  { tone: 'measure', name: 'measure', words: formatDuration(measureMs), weight: measureMs },
  { tone: 'open', name: 'drain', words: `up to ${formatDuration(drainTimeoutMs)}`, weight: drainTimeoutMs },
];

const partsOf: Readonly<Record<WorkloadKind, PartsOf>> = {
  stream: streams,
  burst: paces,
  reconnect: paces,
  handshake: ({ connections }) => [
    { tone: 'measure', name: 'tcp', words: '', weight: 1 },
    { tone: 'measure', name: 'tls', words: '', weight: 3 },
    { tone: 'measure', name: 'connect', words: '', weight: 2 },
    { tone: 'before', name: 'disconnect', words: '', weight: 1 },
    { tone: 'open', name: 'repeat', words: `${formatCount(connections)} in total`, weight: 4 },
  ],
  states: ({ connections }) => [
    { tone: 'measure', name: 'CON', words: 'tcp, tls, connect', weight: 3 },
    { tone: 'measure', name: 'SUB', words: 'subscribe', weight: 2 },
    { tone: 'measure', name: 'PUB', words: 'publish', weight: 2 },
    { tone: 'measure', name: 'DISC', words: 'disconnect', weight: 2 },
    { tone: 'open', name: 'repeat', words: `mean of ${formatCount(connections)}`, weight: 4 },
  ],
  availability: ({ warmUpMs, measureMs }) => [
    { tone: 'before', name: 'undisturbed', words: formatDuration(warmUpMs), weight: warmUpMs },
    { tone: 'measure', name: 'under abuse', words: formatDuration(measureMs), weight: measureMs },
  ],
};

/** Returns the phases of one run in sequence. */
export function stripPartsOf(workload: Workload): StripPart[] {
  return partsOf[workload.kind](workload).filter(({ weight }) => Number.isFinite(weight) && weight > 0);
}

/**
 * Returns the response after a change of the workload. The response changes only if the new workload does not
 * measure it.
 */
export function responseFor(kind: WorkloadKind, response: string): string {
  const group = findMetric(response)?.group;
  const own = answers[kind]?.response;
  if (own !== undefined) return group === undefined || needsMessages.includes(group) ? own : response;
  return Object.values(answers).some((answer) => answer.response === response) ? usualMetric : response;
}

/** Maximum number of bursts that are drawn. */
const maxBursts = 40;

interface BurstPicture {
  /** Share of the total width, 0 to 1. */
  blocks: { from: number; to: number }[];
  words: string;
  /** True if there are more bursts than can be drawn; only the first ones are shown. */
  isCut: boolean;
}

/** Returns the bursts over the measure phase; null if they cannot be drawn. */
export function burstPictureOf({ burstOnMs, burstOffMs, measureMs }: Workload): BurstPicture | null {
  const period = burstOnMs + burstOffMs;
  if (!(burstOnMs > 0) || !(burstOffMs >= 0) || !(measureMs > 0)) return null;
  const bursts = Math.ceil(measureMs / period);
  const isCut = bursts > maxBursts;
  const shownMs = isCut ? period * maxBursts : measureMs;
  const blocks = Array.from({ length: Math.min(bursts, maxBursts) }, (_, i) => ({
    from: (i * period) / shownMs,
    to: Math.min(1, (i * period + burstOnMs) / shownMs),
  }));
  const share = Math.round((burstOnMs / period) * 100);
  return {
    blocks,
    words: `${formatCount(bursts)} ${bursts === 1 ? 'burst' : 'bursts'} of ${formatDuration(burstOnMs)}, ${formatDuration(burstOffMs)} apart: ${share} % of the time under load`,
    isCut,
  };
}

/** Describes the workload for the review, without a full stop. */
export function describeWorkload(workload: Workload): string {
  const { kind, connections, burstOnMs, burstOffMs, window, messages } = workload;
  const { label, isCounted } = lookOf(kind);
  if (isCounted) {
    return `${label} over ${formatCount(connections)} ${connections === 1 ? 'connection' : 'connections'}`;
  }
  if (kind === 'availability') {
    return `${label}: ${formatDuration(workload.warmUpMs)} undisturbed, ${formatDuration(workload.measureMs)} under abuse with at most ${formatCount(workload.abusers)} connections or sessions`;
  }
  const times = `${formatDuration(workload.warmUpMs)} of warm-up, ${formatDuration(workload.measureMs)} measured, up to ${formatDuration(workload.drainTimeoutMs)} to drain`;
  return [
    `${label}: ${times}`,
    ...(kind === 'stream' && messages !== null
      ? [`ends after ${formatCount(messages)} messages per publisher`]
      : []),
    ...(kind === 'burst' ? [`${formatDuration(burstOnMs)} on, ${formatDuration(burstOffMs)} off`] : []),
    ...(shownFieldsOf(kind).some(([field]) => field === 'window')
      ? [`at most ${formatCount(window)} ${window === 1 ? 'message' : 'messages'} in flight at QoS 1 and 2`]
      : []),
  ].join('; ');
}

/** Returns "3 s warm-up, 20 s measured", the summary for the step list. */
export function summariseWorkload({ workload }: Pick<ExperimentDraft, 'workload'>): string {
  const { kind, warmUpMs, measureMs, connections, messages } = workload;
  const { label, isCounted } = lookOf(kind);
  const words = isCounted
    ? `${formatCount(connections)} ${connections === 1 ? 'connection' : 'connections'}`
    : `${formatDuration(warmUpMs)} warm-up, ${kind === 'stream' && messages !== null ? `${formatCount(messages)} messages` : `${formatDuration(measureMs)} measured`}`;
  return kind === 'stream' ? words : `${label}: ${words}`;
}
