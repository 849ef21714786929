import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { parseReference } from '@mqttlab/shared/domain/runs/reference';
import type { Preflight } from '@mqttlab/shared/messages/http';
import type { Cli, CommandContext } from '../cli.ts';
import { readText } from '../files.ts';
import { parseExperimentId } from '../references.ts';
import { wrapText } from '../terminal.ts';

type Check = Preflight['checks'][number];

const marks: Readonly<Record<Check['status'], string>> = {
  passed: 'ok',
  failed: 'FAIL',
  warning: 'warn',
  'not applicable': '-',
};

export function addPreflight(cli: Cli): void {
  cli
    .command('preflight', {
      does: 'Check everything that a plan needs on its devices; print the remedy for each failure.',
      examples: ['preflight examples/tls-cost.yaml', 'preflight E-12 --testbed lab'],
    })
    .argument(
      '<PLAN.yaml|EXPERIMENT>',
      'preflight needs a plan file (YAML or JSON), or the number of an experiment',
    )
    .option('--testbed <ID>', 'replaces the testbed that the plan names')
    .action(
      cli.runs(async (context, plan, { testbed }) => {
        const { api, columns, json, print } = context;
        const draft = await readDraft(context, plan);
        const testbedId = testbed ?? draft.testbedId;
        const { checks } = await api.call('POST /testbeds/{id}/preflight', {
          params: { id: testbedId },
          body: { ...draft, testbedId },
        });
        print(json ? JSON.stringify({ testbedId, checks }, null, 2) : describe(checks, columns));
        return checks.some(({ status }) => status === 'failed') ? 1 : 0;
      }),
    );
}

/** Reads a plan file, as exported by the wizard, or an experiment's draft. */
async function readDraft({ api }: CommandContext, plan: string): Promise<ExperimentDraft> {
  if (parseReference(plan) !== null) {
    const params = { id: parseExperimentId(plan, 'preflight') };
    const { draft } = await api.call('GET /experiments/{id}', { params });
    return draft;
  }
  return (await api.call('POST /plan/read', { body: { text: await readText(plan) } })).draft;
}

/** Describes the results. Devices with the same result share a line. */
function describe(checks: readonly Check[], columns: number): string {
  const alike = Map.groupBy(checks, ({ status, label, evidence }) => [status, label, evidence].join('\n'));
  const indent = ' '.repeat(8);
  const indented = (text: string) => wrapText(text, columns - 8).map((line) => indent + line);
  const lines = [...alike.values()].flatMap((group) => {
    const [check] = group;
    if (!check) return [];
    const { status, label, evidence, remedy } = check;
    const [first = '', ...rest] = indented(`${label}: ${group.map(({ device }) => device).join(', ')}`);
    return [
      `${marks[status].padEnd(indent.length)}${first.trimStart()}`,
      ...rest,
      ...indented(evidence),
      ...(remedy !== null && status !== 'passed' ? indented(`What to do: ${remedy}`) : []),
    ];
  });
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const sum = failed === 0 ? 'Nothing prevents a start.' : `${failed} of ${checks.length} checks failed.`;
  return [...lines, '', sum].join('\n');
}
