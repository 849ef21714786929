import type { ReportLatency, ReportPhases, ReportRolePhases } from '../../domain/report/report.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import type { ReportContext } from './report-input.ts';

/** Percent; each is shown only where at least ten messages lie beyond it. */
const levels = [
  0.1, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 92.5, 95, 97, 98, 99,
  99.5, 99.8, 99.9, 99.95, 99.99, 99.999,
];
const minBeyond = 10;

/** All messages of a Treatment's counting Runs together: curve and box. */
export function reportLatency(context: ReportContext): ReportLatency[] {
  return context.all.flatMap(({ id }) => {
    const merged = context.parts.latency(id);
    if (!merged) return [];
    const histogram = LatencyHistogram.fromJson(merged);
    const at = (percent: number) => (histogram.percentile(percent) ?? 0) / 1000;
    const supported = levels.filter(
      (percent) => (Math.min(percent, 100 - percent) / 100) * histogram.count >= minBeyond,
    );
    return [
      {
        treatment: id,
        messages: histogram.count,
        points: supported.map((p) => ({ p, ms: at(p) })),
        box: {
          p5: at(5),
          p25: at(25),
          p50: at(50),
          p75: at(75),
          p95: at(95),
          mean: (histogram.meanUs ?? 0) / 1000,
        },
      },
    ];
  });
}

/** Mean of each phase over the counting Runs, as the publisher saw it. */
export function reportPhases(context: ReportContext): ReportPhases[] {
  return phasesOf(context);
}

/** The same for every role. */
export function reportRolePhases(context: ReportContext): ReportRolePhases[] {
  return context.parts.roles.flatMap((role) => phasesOf(context, role).map((entry) => ({ role, ...entry })));
}

function phasesOf(context: ReportContext, role?: string): ReportPhases[] {
  return context.treatmentsFor('setUp.total').flatMap(({ id, runs }) => {
    const phases = context.parts.phases(id, role);
    return phases === null ? [] : [{ treatment: id, runs: runs.length, phases }];
  });
}
