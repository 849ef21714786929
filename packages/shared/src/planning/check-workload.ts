import * as z from 'zod';
import { abuse } from '../catalogue/factors/abuse.ts';
import { client } from '../catalogue/factors/client.ts';
import { connectionUse } from '../catalogue/factors/connection-use.ts';
import { rate } from '../catalogue/factors/rate.ts';
import { readingBytes } from '../catalogue/factors/reading-bytes.ts';
import { readingsPerMessage } from '../catalogue/factors/readings-per-message.ts';
import { rangeWords } from '../domain/bounds.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { abuseLimits, type WorkloadKind } from '../domain/plans/trial-spec.ts';
import { chosenLevels } from './expand-treatments.ts';

const bytesPerMib = 1024 * 1024;

/** Limits of the specification of a trial, and the words behind them in the remedy. */
const limits = {
  connections: { least: 1, most: 100_000, words: 'connections' },
  burstOnMs: { least: 1, most: 3_600_000, words: 'ms' },
  burstOffMs: { least: 0, most: 3_600_000, words: 'ms' },
  messages: { least: 1, most: 10_000_000, words: 'messages, or none to measure for a time' },
  abusers: { least: 1, most: abuseLimits.connections, words: 'connections or sessions' },
  queuedMessages: { least: 1, most: abuseLimits.messages, words: 'messages for each session' },
  abuseMemoryBytes: {
    least: 16 * bytesPerMib,
    most: abuseLimits.memoryBytes,
    words: 'MiB',
    unit: bytesPerMib,
  },
} as const;

const rangeOf = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most);

export const ranges = z.object({
  workload: z.object({
    connections: rangeOf(limits.connections),
    burstOnMs: rangeOf(limits.burstOnMs),
    burstOffMs: rangeOf(limits.burstOffMs),
    messages: rangeOf(limits.messages).nullable(),
    abusers: rangeOf(limits.abusers),
    queuedMessages: rangeOf(limits.queuedMessages),
    abuseMemoryBytes: rangeOf(limits.abuseMemoryBytes),
  }),
});

const remedies: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(limits).map(([field, { least, most, words, ...scale }]) => {
    const unit = 'unit' in scale ? scale.unit : 1;
    return [`workload.${field}`, `Choose ${rangeWords(least / unit, most / unit)} ${words}.`];
  }),
);

/** Checks of what only some kinds of workload look at: their bounds, and what contradicts them. */
export function checkWorkload(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const parsed = ranges.safeParse(draft);
  const outside = (parsed.success ? [] : issuesOf(parsed.error)).map((issue) => ({
    ...issue,
    remedy: remedies[issue.field] ?? issue.remedy,
  }));
  if (outside.length > 0) return outside;
  return checks[draft.workload.kind]?.(draft, testbed) ?? [];
}

const checks: Readonly<
  Partial<Record<WorkloadKind, (draft: ExperimentDraft, testbed: TestbedView) => Issue[]>>
> = { stream: checkCount, burst: checkBursts, availability: checkAbuse };

/** Who counts messages while sending them: our own engine, on connections that it keeps. */
function checkCount(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  if (draft.workload.messages === null) return [];
  const others = [
    ...chosenLevels(draft, client, testbed).filter((level) => level !== 'native'),
    ...chosenLevels(draft, connectionUse, testbed).filter((level) => level !== 'kept'),
  ];
  if (others.length === 0) return [];
  return [
    {
      field: 'workload.messages',
      reason: `a stream of so many messages does not go with “${others.join('”, “')}”`,
      remedy: 'Choose the native client and connections that are kept, or measure for a time.',
    },
  ];
}

/** Abuse is bounded in time, and in what its sessions can make the broker keep. */
function checkAbuse(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const { measureMs, abusers, queuedMessages, abuseMemoryBytes } = draft.workload;
  if (measureMs > abuseLimits.measureMs) {
    return [
      {
        field: 'workload.measureMs',
        reason: `abuse of ${measureMs / 1000} s is longer than ${abuseLimits.measureMs / 1000} s`,
        remedy: `Choose at most ${abuseLimits.measureMs} ms.`,
      },
    ];
  }
  if (!chosenLevels(draft, abuse, testbed).includes('persistent sessions')) return [];
  const payload = Math.max(...chosenLevels(draft, readingBytes, testbed).map(Number));
  const bytes = abusers * queuedMessages * payload;
  if (bytes <= abuseMemoryBytes) return [];
  return [
    {
      field: 'workload.queuedMessages',
      reason: `${abusers} sessions with ${queuedMessages} messages of ${payload} B are ${Math.ceil(bytes / 1024 / 1024)} MiB, more than the broker may take`,
      remedy: `Choose fewer sessions or messages, smaller readings, or more memory (at most ${abuseLimits.memoryBytes / bytesPerMib} MiB).`,
    },
  ];
}

/** Bursts need a rate, and time for one message at least. */
function checkBursts(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const rates = chosenLevels(draft, rate, testbed);
  const unpaced = rates.indexOf('max');
  if (unpaced >= 0) {
    return [
      {
        field: `factors.rate[${unpaced}]`,
        reason: 'bursts at "as fast as possible" have no rate to keep to while they are on',
        remedy: 'Choose a rate, or a stream as workload.',
      },
    ];
  }
  const slowest = Math.min(...rates.map(Number));
  const batch = Math.max(...chosenLevels(draft, readingsPerMessage, testbed).map(Number));
  const periodMs = (1000 * batch) / slowest;
  const { burstOnMs } = draft.workload;
  if (periodMs <= burstOnMs) return [];
  return [
    {
      field: 'workload.burstOnMs',
      reason: `at ${slowest} readings/s and ${batch} a message a message takes ${Math.ceil(periodMs)} ms, longer than a burst`,
      remedy: `Choose bursts of at least ${Math.ceil(periodMs)} ms, a higher rate or fewer readings per message.`,
    },
  ];
}
