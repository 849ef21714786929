import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { type RunDetail, runCode, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import type { CommandContext } from './context.ts';
import { renderTable } from './table.ts';

/** Prints a run with every metric that it measured, its failed checks and its failure; as JSON with --json. */
export function printRun({ args, print }: CommandContext, run: RunDetail): void {
  if (args.json) {
    print(JSON.stringify({ run }));
    return;
  }
  const { treatment, block, status, flagged, failure, exclusion } = run;
  const states = [status, ...(flagged ? ['flagged'] : []), ...(exclusion ? ['excluded'] : [])].join(', ');
  print(`${runCode(run)}: ${treatment.shortLabel}, repetition ${block}: ${states}`);
  const rows = metrics.flatMap(({ id, label, unit }) => {
    const value = run.metrics[id] ?? null;
    return value === null ? [] : [[label, formatQuantity(value, unit)]];
  });
  if (rows.length > 0) print(renderTable([{ head: 'Metric' }, { head: 'Value', align: 'right' }], rows));
  if (failure) print(`${failure.message} ${failure.remedy}`);
  if (exclusion) print(`Excluded: ${exclusion.reason}`);
  for (const verdict of run.verdicts.filter((one) => one.status === 'failed')) {
    print(`Failed check: ${verdict.label}: ${verdict.evidence}`);
  }
  const gone = whySeriesGone(run);
  if (gone) print(gone);
}
