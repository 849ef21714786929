import * as z from 'zod';
import { abuse } from '../catalogue/factors/abuse.ts';
import { client } from '../catalogue/factors/client.ts';
import { connectionUse } from '../catalogue/factors/connection-use.ts';
import { rate } from '../catalogue/factors/rate.ts';
import { readingBytes } from '../catalogue/factors/reading-bytes.ts';
import { readingsPerMessage } from '../catalogue/factors/readings-per-message.ts';
import { entryOf } from '../domain/bounds.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { abuseLimits } from '../domain/plans/trial-levels.ts';
import {
  type WorkloadField,
  type WorkloadKind,
  workloadFields,
  workloadRanges,
} from '../domain/plans/workload.ts';
import { chosenLevels } from './expand-treatments.ts';

const bytesPerMib = 1024 * 1024;

const ranges = z.object({ workload: z.object(workloadRanges) });

/** Checks the numbers in a workload: their ranges, then contradictions within its kind. */
export function checkWorkload(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const parsed = ranges.safeParse(draft);
  if (parsed.success) return checks[draft.workload.kind]?.(draft, testbed) ?? [];
  return issuesOf(parsed.error).map((issue) => {
    const field: WorkloadField | undefined = entryOf(workloadFields, issue.field.replace('workload.', ''));
    return { ...issue, remedy: field?.remedy ?? issue.remedy };
  });
}

const checks: Readonly<
  Partial<Record<WorkloadKind, (draft: ExperimentDraft, testbed: TestbedView) => Issue[]>>
> = { stream: checkCount, burst: checkBursts, availability: checkAbuse };

/** Checks that a fixed number of messages is used with the native client, on connections that stay open. */
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
      reason: `a stream with a fixed number of messages cannot be combined with “${others.join('”, “')}”`,
      remedy: 'Choose the native client and connections that are kept open, or measure for a fixed duration.',
    },
  ];
}

/** Checks the limits for abuse: its duration, and the memory that its sessions can use on the broker. */
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
      reason: `${abusers} sessions with ${queuedMessages} messages of ${payload} B need ${Math.ceil(bytes / 1024 / 1024)} MiB, more than the broker’s limit`,
      remedy: `Choose fewer sessions or messages, smaller readings, or more memory (at most ${abuseLimits.memoryBytes / bytesPerMib} MiB).`,
    },
  ];
}

/** Checks that bursts have a rate, and enough time for at least one message. */
function checkBursts(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const rates = chosenLevels(draft, rate, testbed);
  const unpaced = rates.indexOf('max');
  if (unpaced >= 0) {
    return [
      {
        field: `factors.rate[${unpaced}]`,
        reason: 'bursts at "as fast as possible" have no rate',
        remedy: 'Choose a rate, or the workload “stream”.',
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
      reason: `at ${slowest} readings/s and ${batch} per message, a message takes ${Math.ceil(periodMs)} ms, longer than a burst`,
      remedy: `Choose bursts of at least ${Math.ceil(periodMs)} ms, a higher rate or fewer readings per message.`,
    },
  ];
}
