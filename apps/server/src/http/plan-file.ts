import {
  type ExperimentDraft,
  experimentDraftSchema,
  planSchemaVersion,
} from '@mqttlab/shared/domain/experiment-draft';
import { type Issue, issuesOf } from '@mqttlab/shared/domain/issue';
import * as YAML from 'yaml';
import * as z from 'zod';
import { unprocessable } from '../errors.ts';

/** Aliases may stand for a value now and then, not for a bomb. */
const mostAliases = 50;

export function makePlanFile(draft: ExperimentDraft, format: 'yaml' | 'json'): string {
  return format === 'yaml'
    ? YAML.stringify(draft, { lineWidth: 110 })
    : `${JSON.stringify(draft, null, 2)}\n`;
}

/** Reads a plan file exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
export function parsePlanFile(text: string): ExperimentDraft {
  const input = readYaml(text);
  const newer = z.object({ schemaVersion: z.number().gt(planSchemaVersion) }).safeParse(input);
  if (newer.success) throw fault(newerVersion(newer.data.schemaVersion));
  const parsed = experimentDraftSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable('The plan file cannot be taken.', issuesOf(parsed.error));
}

function readYaml(text: string): unknown {
  try {
    return YAML.parse(text, { maxAliasCount: mostAliases, schema: 'core', strict: true, logLevel: 'error' });
  } catch (error) {
    const [reason = 'it cannot be read'] = error instanceof Error ? error.message.split('\n') : [];
    throw fault({
      field: 'text',
      reason: `no valid YAML or JSON: ${reason.replace(/[.:]$/, '')}`,
      remedy: 'Send a plan file as the export writes it.',
    });
  }
}

function newerVersion(version: number): Issue {
  return {
    field: 'schemaVersion',
    reason: `the file has version ${version}, this mqttlab knows ${planSchemaVersion}`,
    remedy: 'Open it with the newer mqttlab that wrote it, or update this one.',
  };
}

function fault(issue: Issue) {
  return unprocessable('The plan file cannot be taken.', [issue]);
}
