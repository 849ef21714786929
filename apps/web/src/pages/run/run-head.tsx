import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { formatDateTime, formatDuration } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { runStatusKind } from './models/run-status.ts';

/** "Run 27: TLS 1.3, TLS_AES_256_GCM_SHA384, QoS 1" */
export function runTitle(run: RunDetail): string {
  return `Run ${run.id}: ${run.treatment.label}`;
}

export function RunBadge({ run }: { run: RunDetail }): ReactElement {
  return <StatusBadge kind={runStatusKind(run)} />;
}

/** "repetition 3, trial 27 of 60, attempt 2, 20 Nov 11:48:12, took 74 s" */
export function describeRun(run: RunDetail): string {
  const { block, trialNumber, trialCount, attempt, startedAt, finishedAt } = run;
  return [
    `repetition ${formatCount(block)}`,
    `trial ${formatCount(trialNumber)} of ${formatCount(trialCount)}`,
    ...(attempt > 1 ? [`attempt ${formatCount(attempt)}`] : []),
    ...(startedAt === null ? [] : [formatDateTime(startedAt)]),
    ...(startedAt === null || finishedAt === null ? [] : [`took ${formatDuration(finishedAt - startedAt)}`]),
  ].join(', ');
}
