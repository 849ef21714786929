import {
  type ClientMatrixCell,
  clientMatrixTag,
  countClientMatrix,
  readClientMatrix,
  reasonsOf,
} from '@mqttlab/shared/catalogue/client-matrix';
import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { writeOutput } from '../files.ts';
import { followExperiment } from '../follow-experiment.ts';
import { parseExperimentId } from '../references.ts';
import { renderTable } from '../terminal.ts';

const marks = { works: 'yes', fails: 'no', impossible: '-', 'not tried': '?' } as const;

export function addClients(cli: Cli): void {
  const clients = cli.group('clients', {
    does: 'Test which TLS versions, cipher suite groups, MQTT versions and transports each client supports.',
    refusal: 'clients needs "try" or "show"',
  });

  clients
    .command('try', {
      does: 'Test every combination on a testbed (about ten minutes); Ctrl-C cancels the test.',
      examples: ['clients try -o clients.csv'],
    })
    .option('--testbed <ID>', 'the testbed (default: the first one)')
    .option('-o, --output <FILE>', 'the matrix as CSV')
    .action(cli.runs(tryClients));

  clients
    .command('show', {
      does: 'Print the newest matrix, or the matrix of an experiment.',
      examples: ['clients show', 'clients show E-12'],
    })
    .argument('[EXPERIMENT]')
    .option('-o, --output <FILE>', 'the matrix as CSV')
    .action(
      cli.runs(async (context, experiment, { output }) => {
        const id =
          experiment === undefined
            ? await findNewest(context)
            : parseExperimentId(experiment, 'clients show');
        const found = await context.api.call('GET /experiments/{id}', { params: { id } });
        return printMatrix(context, found, output);
      }),
    );
}

async function tryClients(
  context: CommandContext,
  { testbed, output }: { testbed?: string | undefined; output?: string | undefined },
): Promise<ExitCode> {
  const { api, note } = context;
  const body = testbed === undefined ? {} : { testbedId: testbed };
  const { id } = await api.call('POST /client-matrix', { body });
  note(`E-${id} started: ${api.server}/studies/clients/${id}`);
  try {
    return await printMatrix(context, await followExperiment(context, id), output);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    await api.call('POST /experiments/{id}/actions/{action}', { params: { id, action: 'cancel' } });
    note(`E-${id} cancelled; to print the finished part: clients show E-${id}`);
    return 1;
  }
}

async function findNewest({ api }: CommandContext): Promise<number> {
  const { items } = await api.call('GET /experiments', { query: { tag: clientMatrixTag, limit: '1' } });
  if (items[0]) return items[0].id;
  throw usageError('no clients have been tested yet; run "clients try"');
}

async function printMatrix(
  { api, json, print, note }: CommandContext,
  experiment: ExperimentDetail,
  output: string | undefined,
): Promise<ExitCode> {
  const { id, status } = experiment;
  const cells = readClientMatrix(experiment);
  if (output !== undefined) {
    const file = await api.file('GET /experiments/{id}/clients.csv', { params: { id } });
    await writeOutput(output, await file.text());
    note(`${output}: ${cells.length} combinations`);
  }
  if (json) print(JSON.stringify(cells));
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
