import { environmentNotice } from '@mqttlab/shared/analysis/environment';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { type Cli, usageError } from '../cli.ts';
import { comparisonTable, findingsOf } from '../print-result.ts';
import { parseExperimentId } from '../references.ts';
import { renderTable } from '../terminal.ts';

export function addCompare(cli: Cli): void {
  cli
    .command('compare', {
      does: 'Compare the treatments of experiments.',
      form: 'EXPERIMENT EXPERIMENT ...',
      examples: ['compare E-12 E-14 --response wire.perMessage'],
    })
    .argument('<EXPERIMENT...>', 'compare needs experiments')
    .option('--response <METRIC>', 'the metric to compare (default: the response of the first experiment)')
    .action(
      cli.runs(async ({ api, json, print }, experiments, options) => {
        const ids = experiments.map((text) => parseExperimentId(text, 'compare'));
        const comparison = await api.call('GET /compare', { query: { experiments: ids.join(',') } });
        const response = options.response ?? comparison.experiments[0]?.response ?? 'latency.p50';
        if (!findMetric(response)) throw usageError(`--response: there is no metric "${response}"`);
        const findings = findingsOf(comparison, response);
        const environment = environmentNotice(comparison.treatments);
        if (json) {
          print(JSON.stringify({ comparison, findings, environment }));
          return 0;
        }
        const { columns, rows } = comparisonTable(comparison, response);
        const named = comparison.treatments.map(({ experimentId }) => `E-${experimentId}`);
        const labelled = rows.map((row, index) => [named[index] ?? '', ...row]);
        print(renderTable([{ head: 'Experiment' }, ...columns], labelled));
        for (const finding of findings) print(finding);
        if (environment !== null) print(environment);
        return 0;
      }),
    );
}
