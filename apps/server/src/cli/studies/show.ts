import { answerWords } from '@mqttlab/studies/claims/board';
import { UsageError } from '../arguments.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { fetchStudies } from './list.ts';

/** The last board of a study on the first testbed, one line per claim. */
export async function showStudy(context: CommandContext, id: string): Promise<ExitCode> {
  const { api, args, print, note } = context;
  const { items } = await fetchStudies(context);
  const study = items.find((item) => item.id === id);
  if (!study) {
    throw new UsageError(`there is no study "${id}"; choose ${items.map((item) => item.id).join(', ')}`);
  }
  if (!study.board) {
    print(args.json ? 'null' : `${study.title}: no claim was answered yet. Run it: mqttlab study run ${id}`);
    return 0;
  }
  const { studyRunId, scale, answers } = study.board;
  const board = await api.call('GET /study-runs/{id}/board', { params: { id: studyRunId }, query: {} });
  if (args.json) {
    print(JSON.stringify(board));
    return 0;
  }
  print(`${study.title}, ${scale} scale: ${answerWords(answers)}`);
  for (const { id: claim, answer, says, sentence } of board.claims) {
    print(`${claim.padEnd(4)}${answer.padEnd(14)}${says} ${sentence}`);
  }
  for (const { part, reason } of board.missing) note(`Missing in part ${part}: ${reason}`);
  note(`${api.server}/studies/runs/${studyRunId}`);
  return 0;
}
