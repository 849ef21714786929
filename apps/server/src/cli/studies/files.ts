import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import { UsageError } from '../arguments.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { readText, writeOutput } from '../files.ts';
import { parseExperimentId } from '../references.ts';

/** An experiment becomes a study of one's own. */
export async function saveStudy(context: CommandContext, experiment: string): Promise<ExitCode> {
  const title = context.args.positionals.slice(2).join(' ');
  if (title === '') throw new UsageError('study save needs a title after the experiment');
  const made = await context.api.call('POST /studies', {
    body: { experimentIds: [parseExperimentId(experiment, 'study save')], title },
  });
  return tell(context, made);
}

export async function exportStudy(context: CommandContext, id: string): Promise<ExitCode> {
  const { api, args, print, note } = context;
  const text = await (await api.file('GET /studies/{id}/study.yaml', { params: { id } })).text();
  if (args.output === null) print(text);
  else {
    await writeOutput(args.output, text);
    note(`${args.output}: ${text.length} characters`);
  }
  return 0;
}

export async function importStudy(context: CommandContext, path: string): Promise<ExitCode> {
  const text = await readText(path);
  const made = await context.api.call('POST /studies/import', { body: { text } });
  return tell(context, made);
}

function tell({ args, print, note, api }: CommandContext, file: StudyFile): ExitCode {
  if (args.json) print(JSON.stringify(file));
  else print(`${file.id}  ${file.title}: ${file.parts.length} ${file.parts.length === 1 ? 'part' : 'parts'}`);
  note(`${api.server}/studies`);
  return 0;
}
