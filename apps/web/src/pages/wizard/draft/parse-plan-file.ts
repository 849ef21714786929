import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { ApiError } from '../../../api/client.ts';

const notAPlan = { type: 'about:blank', title: 'Not a plan', status: 422, issues: [] };

/** Text of a plan file, YAML or JSON, to a draft. Throws an ApiError that names every field that is wrong. */
export async function parsePlanFile(text: string): Promise<ExperimentDraft> {
  // The parser is needed only here, so it stays out of the first load.
  const yaml = await import('yaml');
  let document: unknown;
  try {
    document = yaml.parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw new ApiError({
      ...notAPlan,
      detail: `The file is neither YAML nor JSON: ${firstLine(error)}`,
      remedy: 'Mend that line, or export a plan and compare.',
    });
  }
  const parsed = experimentDraftSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new ApiError({
    ...notAPlan,
    detail: 'The file does not have the form of a plan.',
    remedy: 'Export a plan and compare.',
    issues: issuesOf(parsed.error),
  });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
