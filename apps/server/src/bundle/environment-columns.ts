import { summariseEnvironments } from '@mqttlab/shared/analysis/environment';
import type { AnalysisStores } from '../analysis/select-runs.ts';

/** Columns of exports that describe what a run was carried out on, by the names of the facts in results. */
const facts = {
  broker_version: 'broker.version',
  cpu_model: 'cpu.model',
  kernel: 'device.kernel',
  hostname: 'device.hostname',
} as const;

type EnvironmentColumn = keyof typeof facts;

export const environmentColumns = Object.keys(facts) as EnvironmentColumn[];

/** Values of these columns; several devices are joined by "; ". null if no device reported the fact. */
export function environmentCells(
  { runs }: Pick<AnalysisStores, 'runs'>,
  runId: number,
): Record<EnvironmentColumn, string | null> {
  const found = summariseEnvironments(runs.environmentsOf([runId]), Object.values(facts));
  const cells = environmentColumns.map((column) => [column, found[facts[column]]?.join('; ') ?? null]);
  return Object.fromEntries(cells) as Record<EnvironmentColumn, string | null>;
}
