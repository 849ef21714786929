import {
  type ExperimentDraft,
  experimentDraftSchema,
  planSchemaVersion,
} from '@mqttlab/shared/domain/experiment-draft';
import { type Issue, issuesOf } from '@mqttlab/shared/domain/issue';
import * as YAML from 'yaml';
import * as z from 'zod';
import { type ProblemError, unprocessable } from '../errors.ts';

/** Aliases may stand for a value now and then, not for a bomb. */
const mostAliases = 50;
/** A plan takes a few thousand; JSON may be longer, for it reads faster. */
const mostYamlCharacters = 200_000;

export function makePlanFile(draft: ExperimentDraft, format: 'yaml' | 'json'): string {
  return format === 'yaml'
    ? YAML.stringify(draft, { lineWidth: 110 })
    : `${JSON.stringify(draft, null, 2)}\n`;
}

/** Reads a plan file exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
export function parsePlanFile(text: string): ExperimentDraft {
  const input = readText(text);
  const newer = z.object({ schemaVersion: z.number().gt(planSchemaVersion) }).safeParse(input);
  if (newer.success) throw fault(newerVersion(newer.data.schemaVersion));
  const parsed = experimentDraftSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable('The plan file cannot be taken.', issuesOf(parsed.error));
}

function readText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text);
  }
}

function readYaml(text: string): unknown {
  if (text.length > mostYamlCharacters) {
    throw unreadable(`it has over ${mostYamlCharacters.toLocaleString('en')} characters`);
  }
  // Uniqueness is checked below: the parser's own check compares every key with every other.
  const parsed = YAML.parseDocument(text, {
    schema: 'core',
    uniqueKeys: false,
    logLevel: 'error',
    prettyErrors: false,
  });
  const [error] = parsed.errors;
  if (error) throw unreadable(error.message);
  const twice = findDuplicateKey(parsed);
  if (twice !== null) throw unreadable(`"${twice}" is there twice`);
  try {
    return parsed.toJS({ maxAliasCount: mostAliases });
  } catch (failed) {
    throw unreadable(failed instanceof Error ? failed.message : String(failed));
  }
}

function findDuplicateKey(document: YAML.Document): string | null {
  let found: string | null = null;
  YAML.visit(document, {
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = YAML.isScalar(key) ? String(key.value) : String(key);
        if (seen.has(name)) found = name;
        seen.add(name);
      }
      return found === null ? undefined : YAML.visit.BREAK;
    },
  });
  return found;
}

function unreadable(reason: string): ProblemError {
  return fault({
    field: 'text',
    reason: `no valid YAML or JSON: ${reason.replace(/[.:\n]+$/, '')}`,
    remedy: 'Send a plan file as the export writes it.',
  });
}

function newerVersion(version: number): Issue {
  return {
    field: 'schemaVersion',
    reason: `the file has version ${version}, this mqttlab knows ${planSchemaVersion}`,
    remedy: 'Open it with the newer mqttlab that wrote it, or update this one.',
  };
}

function fault(issue: Issue): ProblemError {
  return unprocessable('The plan file cannot be taken.', [issue]);
}
