import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';

/** Lists runs whose figures differ from the sum over agents, and duplicate agents; empty if there are none. */
export function findDifferences({ id, results, metrics, status }: RunDetail): string[] {
  const names = results.map(({ role, device }) => `${role} ${device}`);
  const doubled = names.filter((name, at) => names.indexOf(name) !== at);
  const repeated = doubled.map((name) => `run ${id} has two results of ${name}`);
  if (status !== 'done') return repeated;
  const missing = Math.max(...results.map(({ share }) => share.of)) - countOf(results, 'publisher');
  const sums = {
    'count.sent': sumOf(results, 'publisher', ({ counters }) => counters?.sent),
    'count.received': sumOf(results, 'subscriber', ({ counters }) => counters?.received),
  };
  const wrong = Object.entries(sums).flatMap(([name, sum]) =>
    metrics[name] === sum ? [] : [`run ${id}: ${name} is ${metrics[name]}, its agents say ${sum}`],
  );
  return [
    ...repeated,
    ...(missing === 0 ? [] : [`run ${id} lacks ${missing} results of load agents`]),
    ...wrong,
  ];
}

function countOf(results: readonly RoleResult[], wanted: RoleResult['role']): number {
  return results.filter(({ role }) => role === wanted).length;
}

function sumOf(
  results: readonly RoleResult[],
  wanted: RoleResult['role'],
  read: (result: RoleResult) => number | undefined,
): number {
  return results
    .filter(({ role }) => role === wanted)
    .reduce((total, result) => total + (read(result) ?? 0), 0);
}
