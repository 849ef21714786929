import { issuesOf } from '@mqttlab/shared/domain/issue';
import {
  type ExperimentDraft,
  experimentDraftSchema,
  planSchemaVersion,
} from '@mqttlab/shared/domain/plans/experiment-draft';
import * as YAML from 'yaml';
import { unprocessable } from '../base/errors.ts';
import { readDocument } from './read-document.ts';
import { longYamlAsJson } from './yaml-in-thread.ts';

const refused = 'The plan file cannot be taken.';
const planKind = { detail: refused, what: 'a plan file', newest: planSchemaVersion };

export function makePlanFile(draft: ExperimentDraft, format: 'yaml' | 'json'): string {
  return format === 'yaml'
    ? YAML.stringify(draft, { lineWidth: 110 })
    : `${JSON.stringify(draft, null, 2)}\n`;
}

/** Reads a plan file exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
export function parsePlanFile(text: string): ExperimentDraft {
  const input = readDocument(text, planKind);
  const parsed = experimentDraftSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable(refused, issuesOf(parsed.error));
}

/** The same for a text of any length, without keeping others waiting. */
export async function takePlanFile(text: string): Promise<ExperimentDraft> {
  return parsePlanFile(await longYamlAsJson(text, planKind));
}
