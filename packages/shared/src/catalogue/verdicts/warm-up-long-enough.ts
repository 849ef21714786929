import type { Role } from '../../domain/devices/device.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { findChangePoint } from '../../statistics/series/change-point.ts';
import { measuredMsOf, measuredOf, nameOf, resultsOf } from '../evidence/evidence.ts';
import { inWords } from '../workloads.ts';
import { timesAndPower } from './matters.ts';

/** Minimum CPU step that counts, in % of a core, because an almost idle client varies by less. */
const minCpuStep = 10;
/** Series that should be steady when the measure phase begins, and the smallest step that counts. */
const watched: readonly { role: Role; metric: string; name: string; least: number }[] = [
  { role: 'subscriber', metric: 'latency.p50', name: 'latency', least: 0 },
  { role: 'subscriber', metric: 'messages.rate', name: 'message rate', least: 0 },
  { role: 'publisher', metric: 'cpu.process', name: 'publisher CPU', least: minCpuStep },
  { role: 'broker', metric: 'cpu.process', name: 'broker CPU', least: minCpuStep },
  { role: 'subscriber', metric: 'cpu.process', name: 'subscriber CPU', least: minCpuStep },
];
/** Minimum number of values to detect a step. */
const minValues = 6;
/** A step counts if it is significant at this level ... */
const mostP = 0.001;
/** ... and at least this large relative to the level after it. */
const minStep = 0.5;

interface Step {
  name: string;
  values: number;
  percent: number;
  /** True if the step is in the first half, so that the values before it belong to the warm-up. */
  unsettled: boolean;
}

/** Returns one entry for each device with the role that has enough values. */
function findSteps(evidence: RunEvidence, series: (typeof watched)[number]): Step[] {
  const measureMs = measuredMsOf(evidence);
  return resultsOf(evidence, series.role).flatMap((result) => {
    const of = result.share.of === 1 ? '' : ` of ${nameOf(result)}`;
    const name = `${series.name}${of}`;
    return findStep(measuredOf(result, series.metric, measureMs), { ...series, name }) ?? [];
  });
}

function findStep(values: number[], { name, least }: (typeof watched)[number]): Step | null {
  if (values.length < minValues) return null;
  const change = findChangePoint(values);
  if (change === null) return { name, values: values.length, percent: 0, unsettled: false };
  const size = Math.abs(change.meanBefore - change.meanAfter);
  const step = size / Math.abs(change.meanAfter);
  return {
    name,
    values: values.length,
    percent: Math.round(step * 100),
    unsettled: change.p < mostP && step > minStep && size >= least && change.index <= values.length / 2,
  };
}

/** Checks that latency, rate and CPU were steady from the start of the measure phase. */
export const warmUpLongEnough: VerdictDefinition = {
  id: 'warm-up-long-enough',
  label: 'Warm-up long enough',
  fault: 'Warm-up too short',
  remedy: 'Close other programs and run again. If this happens again, clone the plan with a longer warm-up.',
  matters: timesAndPower,
  judge: (evidence) => {
    const { workload, warmUpMs } = evidence.spec;
    if (workload !== 'stream' && workload !== 'reconnect') {
      return { status: 'not applicable', evidence: `${inWords(workload)} has no steady state` };
    }
    const steps = watched.flatMap((series) => findSteps(evidence, series));
    if (steps.length === 0) {
      const evidenceText = `fewer than ${minValues} values per series in the measure phase`;
      return { status: 'not applicable', evidence: evidenceText };
    }
    const limit = `limit ${minStep * 100} % at p < ${mostP}`;
    const unsettled = steps.filter((step) => step.unsettled);
    return unsettled.length === 0
      ? {
          status: 'passed',
          evidence: `${steps.length} series were steady after ${warmUpMs} ms of warm-up, ${limit}`,
        }
      : {
          status: 'failed',
          evidence: `after ${warmUpMs} ms of warm-up, a step of ${unsettled
            .map(({ name, percent }) => `${percent} % in ${name}`)
            .join(', ')}; ${limit}`,
        };
  },
};
