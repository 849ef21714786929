import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { type ExperimentDraft, planSchemaVersion } from '@mqttlab/shared/domain/plans/experiment-draft';
import { completePlan } from '@mqttlab/shared/planning/complete-plan';
import { isRecord } from '@mqttlab/shared/planning/written-names';
import * as YAML from 'yaml';
import { unprocessable } from '../../base/errors.ts';
import { readDocument } from './read-document.ts';
import { longYamlAsJson } from './yaml-in-thread.ts';

const refused = 'The plan file cannot be used.';
const planKind = { detail: refused, what: 'a plan file', newest: planSchemaVersion };

/** A plan as it is exported; `schema` is the address of its JSON Schema, by which editors complete and check it. */
export function makePlanFile(draft: ExperimentDraft, format: 'yaml' | 'json', schema: string): string {
  return format === 'yaml'
    ? schemaLine(schema) + YAML.stringify(draft, { lineWidth: 110 })
    : `${JSON.stringify({ $schema: schema, ...draft }, null, 2)}\n`;
}

/** First line of a plan file, which editors read. */
export function schemaLine(schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n`;
}

/** What a testbed offers, by its id; without one that of this machine. */
type ViewOf = (testbedId: string | null) => TestbedView;

/**
 * Reads a plan file, YAML or JSON: exactly as it was exported, or one that was written by hand and is completed for a
 * testbed. Throws a 422 problem that names the field.
 */
export function parsePlanFile(text: string, viewOf: ViewOf): ExperimentDraft {
  const input = readDocument(text, planKind);
  const named = isRecord(input) ? (input.testbed ?? input.testbedId) : null;
  const completed = completePlan(input, viewOf(typeof named === 'string' ? named : null));
  if (!completed.ok) throw unprocessable(refused, completed.issues);
  return completed.draft;
}

/** The same for a text of any length, without keeping others waiting. */
export async function readPlanFile(text: string, viewOf: ViewOf): Promise<ExperimentDraft> {
  return parsePlanFile(await longYamlAsJson(text, planKind), viewOf);
}
