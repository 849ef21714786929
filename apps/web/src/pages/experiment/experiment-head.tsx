import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { ReactElement } from 'react';
import { formatDateTime, formatDay, formatTimeOfDay } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { describeStatus } from '../experiments/describe-experiment.ts';

/** Icon and word of an experiment's status, as a pill beside its name. */
export function ExperimentBadge({ experiment }: { experiment: ExperimentSummary }): ReactElement {
  const { kind, word } = describeStatus(experiment);
  return <StatusBadge kind={kind}>{word}</StatusBadge>;
}

/** "since 14:00, Lab bench A", "20 Nov 11:48 to 12:40, Lab bench A". */
export function describeWhen(experiment: ExperimentSummary, testbedName: string): string {
  const { startedAt, finishedAt, createdAt, imported } = experiment;
  if (imported) {
    return `run ${formatDateTime(startedAt ?? createdAt)} elsewhere; imported from ${imported.from}`;
  }
  if (startedAt === null) return `made ${formatDateTime(createdAt)}, ${testbedName}`;
  if (finishedAt === null) return `since ${when(startedAt)}, ${testbedName}`;
  return `${formatDay(startedAt)} ${formatTimeOfDay(startedAt)} to ${formatTimeOfDay(finishedAt)}, ${testbedName}`;
}

function when(ms: number): string {
  return formatDay(ms) === formatDay(Date.now()) ? formatTimeOfDay(ms) : formatDateTime(ms);
}
