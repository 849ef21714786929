import {
  type ClientMatrixCell,
  clientMatrixTag,
  countClientMatrix,
  readClientMatrix,
  reasonsOf,
} from '@mqttlab/shared/catalogue/client-matrix';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { UsageError } from '../arguments.ts';
import type { Command, CommandContext, ExitCode } from '../context.ts';
import { writeOutput } from '../files.ts';
import { followExperiment } from '../follow-experiment.ts';
import { parseExperimentId } from '../references.ts';
import { renderTable } from '../table.ts';

const marks = { works: 'yes', fails: 'no', impossible: '-', 'not tried': '?' } as const;

export const clients: Command = {
  name: 'clients',
  summary: 'Try what each client can do: TLS version, group of suites, MQTT version, transport.',
  usages: [
    {
      form: 'try',
      does: 'Try every combination on a testbed, in some ten minutes; Ctrl-C cancels it.',
      options: [
        ['--testbed ID', 'instead of the first one'],
        ['-o FILE', 'the matrix as CSV'],
      ],
    },
    { form: 'show [EXPERIMENT]', does: 'Print the newest matrix, or that of an experiment.' },
  ],
  run: async (context) => {
    const [action, wanted] = context.args.positionals;
    if (action === 'try') return tryClients(context);
    if (action === 'show') {
      const id = wanted === undefined ? await newest(context) : parseExperimentId(wanted, 'clients show');
      return tell(context, await context.api.call('GET /experiments/{id}', { params: { id } }));
    }
    throw new UsageError('clients needs "try" or "show"');
  },
};

async function tryClients(context: CommandContext): Promise<ExitCode> {
  const { api, args, note } = context;
  const body = args.testbed === null ? {} : { testbedId: args.testbed };
  const { id } = await api.call('POST /client-matrix', { body });
  note(`E-${id} started: ${api.server}/studies/clients/${id}`);
  try {
    return await tell(context, await followExperiment(context, id));
  } catch (error) {
    if (!context.signal.aborted) throw error;
    await api.call('POST /experiments/{id}/actions/{action}', { params: { id, action: 'cancel' } });
    note(`E-${id} cancelled; what was tried stays: clients show E-${id}`);
    return 1;
  }
}

async function newest({ api }: CommandContext): Promise<number> {
  const { items } = await api.call('GET /experiments', { query: { tag: clientMatrixTag, limit: '1' } });
  if (items[0]) return items[0].id;
  throw new UsageError('no client was tried yet; "clients try" does it');
}

async function tell(context: CommandContext, experiment: ExperimentDetail): Promise<ExitCode> {
  const { api, args, print, note } = context;
  const { id, status } = experiment;
  const cells = readClientMatrix(experiment);
  if (args.output !== null) {
    const file = await api.file('GET /experiments/{id}/clients.csv', { params: { id } });
    await writeOutput(args.output, await file.text());
    note(`${args.output}: ${cells.length} combinations`);
  }
  if (args.json) print(JSON.stringify(cells));
  else print(tableOf(experiment, cells));
  return status === 'done' ? 0 : 1;
}

function tableOf({ plan }: ExperimentDetail, cells: readonly ClientMatrixCell[]): string {
  const wayOf = (cell: ClientMatrixCell) => `${cell.mqttVersion} ${cell.transport}`;
  const ways = [...new Set(cells.map(wayOf))].sort();
  const rows = Map.groupBy(
    cells,
    ({ client, security, suiteGroup }) => `${client}\t${security}\t${suiteGroup}`,
  );
  const table = renderTable(
    ['Client', 'Security', 'Suites', ...ways].map((head) => ({ head })),
    [...rows].map(([key, own]) => [
      ...key.split('\t'),
      ...ways.map((way) => marks[own.find((cell) => wayOf(cell) === way)?.outcome ?? 'not tried']),
    ]),
  );
  const reasons = reasonsOf(cells).map(
    ({ reason, cells: own }) => `${own[0]?.client} (${own.length}): ${reason}`,
  );
  return [plan?.question ?? '', table, countClientMatrix(cells), ...reasons].join('\n');
}
