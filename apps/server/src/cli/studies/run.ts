import type { StudyPartView, StudyRun, StudyView } from '@mqttlab/shared/messages/studies';
import { UsageError } from '../arguments.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { concludeExperiment } from '../follow-experiment.ts';
import { fetchStudies, scales } from './list.ts';

/**
 * Starts every part, follows one after the other and tells the worst outcome: 0 only where each part came to its end
 * without a failed run.
 */
export async function runStudy(context: CommandContext, id: string): Promise<ExitCode> {
  const { args, api, note } = context;
  const scale = scales.find((known) => known === (args.scale ?? 'smoke'));
  if (!scale) throw new UsageError(`--scale: choose one of ${scales.join(', ')}`);
  if (args.junit !== null) throw new UsageError('--junit: one experiment goes into a file; use run or watch');
  const { items, testbedId } = await fetchStudies(context);
  const wanted = items.find((item) => item.id === id);
  if (!wanted) {
    throw new UsageError(`there is no study "${id}"; choose ${items.map((item) => item.id).join(', ')}`);
  }
  const parts = partsOf(wanted, args.part);
  const run = await api.call('POST /study-runs', {
    body: { studyId: id, testbedId, scale, parts: parts.map((part) => part.id) },
  });
  for (const part of run.parts) {
    for (const { what, reason } of part.leftOut) note(`Left out of part ${part.id}: ${what}: ${reason}`);
  }
  const worst = await followParts(context, run);
  note(`Beside the published values: ${api.server}/studies/runs/${run.id}`);
  return worst;
}

async function followParts(context: CommandContext, { parts }: StudyRun): Promise<ExitCode> {
  let worst: ExitCode = 0;
  for (const { id, title, experimentId } of parts) {
    if (experimentId === null) continue;
    context.note(`Part ${id}, ${title}: E-${experimentId}`);
    const code = await concludeExperiment(context, experimentId);
    if (code !== 0 && worst !== 1) worst = code;
  }
  return worst;
}

function partsOf({ id, parts }: StudyView, wanted: string | null): StudyPartView[] {
  const runnable = parts.filter(({ scales: known }) => known.length > 0);
  const chosen = runnable.filter((part) => wanted === null || part.id === wanted);
  if (chosen.length > 0) return chosen;
  const gap = parts.find((part) => part.id === wanted)?.leftOut[0];
  const why = gap ? `cannot be run: ${gap.what}: ${gap.reason}` : `is no part of ${id}`;
  throw new UsageError(`--part: "${wanted}" ${why}; choose ${runnable.map((part) => part.id).join(', ')}`);
}
