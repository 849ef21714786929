import { sharedRoles } from '../../domain/devices/device.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import {
  countOf,
  eachDevice,
  meanOf,
  measuredMsOf,
  measuredOf,
  resultOf,
  toMs,
} from '../evidence/evidence.ts';
import { carriesMessages, inWords } from '../workloads.ts';
import { timesAndPower } from './matters.ts';

/** P99 of lateness above which latency reflects the generator more than MQTT. */
const limitMs = 5;
/** Maximum share of messages that can remain unsent at the end of the measure phase. */
const unsentLimit = 0.001;
/** Maximum share of messages that a device without an agent can send late. */
const lateLimit = 0.01;
/** CPU use of a client above which its single thread is saturated, in % of one core. */
const saturationLimit = 95;

/** Share of a virtual machine's CPU time withheld by its host, in %, from which the evidence mentions it. */
const noticeableStolen = 0.1;

/** Returns the CPU use of the busiest client; null without samples. */
function busiestClient(evidence: RunEvidence): number | null {
  const measureMs = measuredMsOf(evidence);
  const means = sharedRoles.flatMap((role) =>
    eachDevice(evidence, role, (result) => meanOf(measuredOf(result, 'cpu.process', measureMs))),
  );
  return means.length === 0 ? null : Math.max(...means);
}

/** Describes the CPU time that a virtual machine's host withheld; empty if there was none. */
function stolenWords(evidence: RunEvidence): string {
  const measureMs = measuredMsOf(evidence);
  const shares = evidence.results.flatMap(
    (result) => meanOf(measuredOf(result, 'cpu.stolen', measureMs)) ?? [],
  );
  const most = Math.max(0, ...shares);
  if (most < noticeableStolen) return '';
  return `; the host of this virtual machine withheld ${most.toFixed(1)} % of its CPU time`;
}

type Judged = ReturnType<VerdictDefinition['judge']>;

/**
 * Judges a device without an agent, which reports how many messages it sent late, but not how late they were.
 */
function judgeCounted(evidence: RunEvidence): Judged {
  const count = (counter: 'late' | 'unsent' | 'sent') => countOf(evidence, 'publisher', counter) ?? 0;
  const [late, unsent, sent] = [count('late'), count('unsent'), count('sent')];
  const kept = late <= lateLimit * sent && unsent <= unsentLimit * (unsent + sent);
  return {
    status: kept && sent > 0 ? 'passed' : 'failed',
    evidence: `${late} of ${sent} sent over 10 ms late, limit ${lateLimit * 100} %; ${unsent} unsent`,
  };
}

/** Compares the load generator with its schedule; not applicable without due times. */
export function judgeSchedule(evidence: RunEvidence): Judged {
  const { workload, readingsPerSecond, client } = evidence.spec;
  if (!carriesMessages(workload)) {
    return { status: 'not applicable', evidence: `${inWords(workload)} has no due times` };
  }
  if (readingsPerSecond === null) {
    return { status: 'not applicable', evidence: 'as fast as possible: there is no schedule' };
  }
  const histogram = resultOf(evidence, 'publisher')?.lateness;
  const p99 = histogram ? toMs(LatencyHistogram.fromJson(histogram).percentile(99)) : null;
  if (!histogram && client === 'external device') return judgeCounted(evidence);
  if (!histogram || p99 === null) return { status: 'failed', evidence: 'no lateness was recorded' };
  const unsent = countOf(evidence, 'publisher', 'unsent') ?? 0;
  const share = unsent / (unsent + histogram.count);
  const busiest = busiestClient(evidence);
  const saturation =
    busiest === null ? '' : `; busiest client ${busiest.toFixed(0)} % of a core, limit ${saturationLimit} %`;
  const kept = p99 <= limitMs && share <= unsentLimit && (busiest ?? 0) <= saturationLimit;
  return {
    status: kept ? 'passed' : 'failed',
    evidence: `lateness P99 ${p99.toFixed(2)} ms, limit ${limitMs} ms; ${unsent} unsent${saturation}${stolenWords(evidence)}`,
  };
}

/** Remedy for a late generator. */
export const scheduleRemedy =
  'Close other programs (on a virtual machine, also programs on its host) and run again. If this happens again, send fewer messages per second.';

export const keptSchedule: VerdictDefinition = {
  id: 'kept-schedule',
  label: 'Generator kept its schedule',
  fault: 'Generator fell behind schedule',
  remedy: scheduleRemedy,
  matters: timesAndPower,
  judge: judgeSchedule,
};
