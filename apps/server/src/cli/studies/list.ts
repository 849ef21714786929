import type { StudyList, StudyPartView } from '@mqttlab/shared/messages/studies';
import type { CommandContext, ExitCode } from '../context.ts';
import { formatDuration, renderTable } from '../table.ts';

export const scales = ['smoke', 'bench', 'full'] as const;

export function fetchStudies({ api }: CommandContext): Promise<StudyList> {
  return api.call('GET /studies');
}

/** Every study, part by part, with what each scale takes. */
export async function listStudies(context: CommandContext): Promise<ExitCode> {
  const answer = await fetchStudies(context);
  if (context.args.json) context.print(JSON.stringify(answer));
  else {
    const columns = ['Id', 'Part', ...scales, 'Title'].map((head) => ({ head }));
    const rows = answer.items.flatMap(({ id, title, own, parts }) =>
      parts.map((part) => [
        id,
        part.id,
        ...scales.map((scale) => costOf(part, scale)),
        `${title}: ${part.title}${own ? ' (own)' : ''}`,
      ]),
    );
    context.print(renderTable(columns, rows));
  }
  return 0;
}

function costOf({ scales: known }: StudyPartView, wanted: string): string {
  const cost = known.find(({ scale }) => scale === wanted);
  return cost ? formatDuration(cost.durationMs) : 'gap';
}
