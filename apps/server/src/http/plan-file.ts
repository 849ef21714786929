import {
  type ExperimentDraft,
  experimentDraftSchema,
  planSchemaVersion,
} from '@mqttlab/shared/domain/experiment-draft';
import { issuesOf } from '@mqttlab/shared/domain/issue';
import * as YAML from 'yaml';
import { unprocessable } from '../errors.ts';
import { readDocument } from './read-document.ts';

const refused = 'The plan file cannot be taken.';

export function makePlanFile(draft: ExperimentDraft, format: 'yaml' | 'json'): string {
  return format === 'yaml'
    ? YAML.stringify(draft, { lineWidth: 110 })
    : `${JSON.stringify(draft, null, 2)}\n`;
}

/** Reads a plan file exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
export function parsePlanFile(text: string): ExperimentDraft {
  const input = readDocument(text, { detail: refused, what: 'a plan file', newest: planSchemaVersion });
  const parsed = experimentDraftSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable(refused, issuesOf(parsed.error));
}
