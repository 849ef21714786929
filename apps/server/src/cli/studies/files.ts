import { type ProtocolFile, protocolFileSchema } from '@mqttlab/shared/domain/plans/study-file';
import { parseExperimentId } from '../arguments.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { readText, writeOutput } from '../files.ts';
import { UsageError } from '../usage-error.ts';

/** An experiment becomes a protocol of one's own. */
export async function saveProtocol(context: CommandContext, experiment: string): Promise<ExitCode> {
  const title = context.args.positionals.slice(2).join(' ');
  if (title === '') throw new UsageError('protocol save needs a title after the experiment');
  const made = await context.api.call({
    method: 'POST',
    path: '/protocols',
    body: { experimentIds: [parseExperimentId(experiment)], title },
    response: protocolFileSchema,
  });
  return tell(context, made);
}

export async function exportProtocol(context: CommandContext, id: string): Promise<ExitCode> {
  const { api, args, print, note } = context;
  const text = await api.text(`/protocols/${encodeURIComponent(id)}/protocol.yaml`);
  if (args.output === null) print(text);
  else {
    await writeOutput(args.output, text);
    note(`${args.output}: ${text.length} characters`);
  }
  return 0;
}

export async function importProtocol(context: CommandContext, path: string): Promise<ExitCode> {
  const text = await readText(path);
  const made = await context.api.call({
    method: 'POST',
    path: '/protocols/import',
    body: { text },
    response: protocolFileSchema,
  });
  return tell(context, made);
}

function tell({ args, print, note, api }: CommandContext, file: ProtocolFile): ExitCode {
  if (args.json) print(JSON.stringify(file));
  else print(`${file.id}  ${file.title}: ${file.parts.length} ${file.parts.length === 1 ? 'part' : 'parts'}`);
  note(`${api.server}/protocols`);
  return 0;
}
