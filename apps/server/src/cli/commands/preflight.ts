import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { parseReference } from '@mqttlab/shared/domain/runs/reference';
import type { Preflight } from '@mqttlab/shared/messages/http';
import { UsageError } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';
import { readText } from '../files.ts';
import { parseExperimentId } from '../references.ts';
import { wrapText } from '../table.ts';

type Check = Preflight['checks'][number];

const marks: Readonly<Record<Check['status'], string>> = {
  passed: 'ok',
  failed: 'FAIL',
  warning: 'warn',
  'not applicable': '-',
};

export const preflight: Command = {
  name: 'preflight',
  summary: 'Try everything a plan needs on its devices, with what to do about each failure.',
  usages: [
    {
      form: 'PLAN.yaml|EXPERIMENT',
      does: 'Try everything a plan needs on its devices; say what to do about each failure.',
      options: [['--testbed ID', 'in place of the testbed that the plan names']],
    },
  ],
  run: async (context) => {
    const { args, api, columns, print } = context;
    const draft = await readDraft(context);
    const testbedId = args.testbed ?? draft.testbedId;
    const { checks } = await api.call('POST /testbeds/{id}/preflight', {
      params: { id: testbedId },
      body: { ...draft, testbedId },
    });
    print(args.json ? JSON.stringify({ testbedId, checks }, null, 2) : describe(checks, columns));
    return checks.some(({ status }) => status === 'failed') ? 1 : 0;
  },
};

/** A plan file, as exported by the wizard, or what an experiment was made from. */
async function readDraft({ args, api }: CommandContext): Promise<ExperimentDraft> {
  const [what] = args.positionals;
  if (!what)
    throw new UsageError('preflight needs a plan file (YAML or JSON), or the number of an experiment');
  if (parseReference(what) !== null) {
    const params = { id: parseExperimentId(what, 'preflight') };
    const { draft } = await api.call('GET /experiments/{id}', { params });
    return draft;
  }
  return (await api.call('POST /plan/read', { body: { text: await readText(what) } })).draft;
}

/** Devices that answer alike share a line. */
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
