import { flagName } from '@mqttlab/shared/catalogue/flags';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { type RunDetail, runCode, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import type { Cli, CommandContext } from '../cli.ts';
import { printResult } from '../print-result.ts';
import { findNamedRun, parseSubject } from '../references.ts';
import { renderTable } from '../terminal.ts';

export function addShow(cli: Cli): void {
  cli
    .command('show', {
      does: 'Print an experiment with its comparison, or a run with its metrics and failed checks.',
      form: 'EXPERIMENT|RUN',
      examples: ['show E-2', 'show E-2 run 1'],
    })
    .argument('<EXPERIMENT|RUN...>', 'name an experiment, like E-12, or a run, like "E-12, run 3"')
    .action(
      cli.runs(async (context, words) => {
        const { api } = context;
        const subject = parseSubject(words);
        if (subject.trial === null) {
          await printResult(context, await api.wholeExperiment(subject.experiment));
          return 0;
        }
        const { id } = await findNamedRun(context, subject);
        printRun(context, await api.call('GET /runs/{id}', { params: { id } }));
        return 0;
      }),
    );
}

function printRun({ json, print }: CommandContext, run: RunDetail): void {
  if (json) {
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
    print(`Flag: ${flagName(verdict)}: ${verdict.evidence}`);
  }
  const gone = whySeriesGone(run);
  if (gone) print(gone);
}
