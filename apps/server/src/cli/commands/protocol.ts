import { experimentDetailSchema } from '@mqttlab/shared/domain/experiment';
import {
  type ProtocolPartView,
  type ProtocolView,
  protocolListSchema,
} from '@mqttlab/shared/protocol/protocols';
import type { Command, CommandContext, ExitCode } from '../context.ts';
import { followExperiment, outcomeCode } from '../follow-experiment.ts';
import { printResult } from '../print-result.ts';
import { formatDuration, renderTable } from '../table.ts';
import { UsageError } from '../usage-error.ts';

const scales = ['smoke', 'bench', 'full'] as const;

export const protocol: Command = {
  name: 'protocol',
  usage: 'protocol list | run ID --scale smoke|bench|full [--part PART]',
  summary: 'List the published studies, or run one, part by part.',
  run: async (context) => {
    const [action, id] = context.args.positionals;
    if (action === 'list') return list(context);
    if (action === 'run' && id) return run(context, id);
    throw new UsageError('protocol needs "list", or "run" with the id of a study');
  },
};

async function list(context: CommandContext): Promise<ExitCode> {
  const answer = await fetchAll(context);
  if (context.args.json) context.print(JSON.stringify(answer));
  else {
    const columns = [
      { head: 'Id' },
      { head: 'Part' },
      ...scales.map((head) => ({ head })),
      { head: 'Title' },
    ];
    const rows = answer.items.flatMap((study) =>
      study.parts.map((part) => [
        study.id,
        part.id,
        ...scales.map((scale) => costOf(part, scale)),
        `${study.title}: ${part.title}`,
      ]),
    );
    context.print(renderTable(columns, rows));
  }
  return 0;
}

function costOf({ scales: known }: ProtocolPartView, wanted: string): string {
  const cost = known.find(({ scale }) => scale === wanted);
  return cost ? formatDuration(cost.durationMs) : 'gap';
}

/** One part after the other; goes on after a failure and tells the worst outcome. */
async function run(context: CommandContext, id: string): Promise<ExitCode> {
  const { args, note } = context;
  const scale = scales.find((known) => known === (args.scale ?? 'smoke'));
  if (!scale) throw new UsageError(`--scale: choose one of ${scales.join(', ')}`);
  const { items, testbedId } = await fetchAll(context);
  const study = items.find((item) => item.id === id);
  if (!study)
    throw new UsageError(`there is no study "${id}"; choose ${items.map((item) => item.id).join(', ')}`);
  let worst: ExitCode = 0;
  for (const part of partsOf(study, args.part)) {
    for (const { what, reason } of part.leftOut) note(`Left out: ${what}: ${reason}`);
    const code = await runPart(context, { id, testbedId, scale, part: part.id });
    if (code !== 0) worst = code;
  }
  return worst;
}

function partsOf({ id, parts }: ProtocolView, wanted: string | null): ProtocolPartView[] {
  const runnable = parts.filter(({ scales: known }) => known.length > 0);
  const chosen = runnable.filter((part) => wanted === null || part.id === wanted);
  if (chosen.length > 0) return chosen;
  const gap = parts.find((part) => part.id === wanted)?.leftOut[0];
  const why = gap ? `cannot be run: ${gap.what}: ${gap.reason}` : `is no part of ${id}`;
  throw new UsageError(`--part: "${wanted}" ${why}; choose ${runnable.map((part) => part.id).join(', ')}`);
}

interface Chosen {
  id: string;
  testbedId: string;
  scale: string;
  part: string;
}

async function runPart(context: CommandContext, { id, ...body }: Chosen): Promise<ExitCode> {
  const { api, args, note } = context;
  const draft = await api.call({
    method: 'POST',
    path: `/protocols/${encodeURIComponent(id)}/experiments`,
    body,
    response: experimentDetailSchema,
  });
  const started = await api.call({
    method: 'POST',
    path: `/experiments/${draft.id}/actions/start`,
    response: experimentDetailSchema,
  });
  note(`E-${started.id} started: ${started.name}, ${started.progress.trials} runs`);
  const experiment = await followExperiment(context, started.id);
  await printResult(context, experiment);
  note(`Beside the published values: ${api.server}/protocols/${id}/results/${started.id}`);
  return outcomeCode(experiment, args.strict);
}

function fetchAll({ api }: CommandContext) {
  return api.call({ method: 'GET', path: '/protocols', response: protocolListSchema });
}
