import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { type ExperimentDraft, planSchemaVersion } from '@mqttlab/shared/domain/plans/experiment-draft';
import { completePlan } from '@mqttlab/shared/planning/complete-plan';
import { isRecord } from '@mqttlab/shared/planning/written-names';
import * as YAML from 'yaml';
import * as z from 'zod';
import { runInThread } from '../base/child-programs.ts';
import { type ProblemError, unprocessable } from '../base/errors.ts';

/** Maximum number of aliases, so that a YAML document cannot expand without bounds. */
const maxAliases = 50;
/** A plan has a few thousand characters. JSON may be longer because it parses faster. */
const maxYamlCharacters = 200_000;

export interface DocumentKind {
  /** First sentence of the refusal. */
  detail: string;
  /** "a plan file". */
  what: string;
  /** Newest version that this version of mqttlab reads. */
  newest: number;
}

/** Parses YAML or JSON. Throws a 422 problem if the text is neither, or was written by a later version. */
export function readDocument(text: string, kind: DocumentKind): unknown {
  const input = readText(text, kind);
  const newer = z.object({ schemaVersion: z.number().gt(kind.newest) }).safeParse(input);
  if (!newer.success) return input;
  throw unprocessable(kind.detail, [
    {
      field: 'schemaVersion',
      reason: `the file has version ${newer.data.schemaVersion}, but this version of mqttlab only reads versions up to ${kind.newest}`,
      remedy: 'Open it with the newer version of mqttlab that wrote it, or update this one.',
    },
  ]);
}

function readText(text: string, kind: DocumentKind): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text, kind);
  }
}

/** Throws a 422 problem. */
export function readYaml(text: string, kind: DocumentKind): unknown {
  if (text.length > maxYamlCharacters) {
    throw unreadable(kind, `it has more than ${maxYamlCharacters.toLocaleString('en')} characters`);
  }
  // Uniqueness is checked below, because the parser's check compares every key with every other key.
  const parsed = YAML.parseDocument(text, {
    schema: 'core',
    uniqueKeys: false,
    logLevel: 'error',
    prettyErrors: false,
  });
  const [error] = parsed.errors;
  if (error) throw unreadable(kind, error.message);
  const twice = findDuplicateKey(parsed);
  if (twice !== null) throw unreadable(kind, `"${twice}" appears twice`);
  try {
    return parsed.toJS({ maxAliasCount: maxAliases });
  } catch (failed) {
    throw unreadable(kind, failed instanceof Error ? failed.message : String(failed));
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

function unreadable({ detail, what }: DocumentKind, reason: string): ProblemError {
  return unprocessable(detail, [
    {
      field: 'text',
      reason: `not valid YAML or JSON: ${reason.replace(/[.:\n]+$/, '')}`,
      remedy: `Send ${what} in the export format.`,
    },
  ]);
}

/** Shorter documents are parsed in less time than a thread needs to start. */
const shortCharacters = 20_000;

/**
 * Returns a long YAML document as JSON text, parsed in a separate thread. A short document or JSON is
 * returned unchanged. Rejects with a 422 problem.
 */
export async function longYamlAsJson(text: string, kind: DocumentKind): Promise<string> {
  if (text.length <= shortCharacters || isJson(text)) return text;
  return runInThread<string>({
    module: './yaml-worker',
    from: import.meta.url,
    data: { text, kind },
    tooMuch: unreadable(kind, 'it takes too long to read'),
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const refused = 'The plan file is not valid.';
const planKind = { detail: refused, what: 'a plan file', newest: planSchemaVersion };

/**
 * Returns a plan in the export format. `schema` is the address of its JSON Schema, which editors use for
 * completion.
 */
export function makePlanFile(draft: ExperimentDraft, format: 'yaml' | 'json', schema: string): string {
  return format === 'yaml'
    ? schemaLine(schema) + YAML.stringify(draft, { lineWidth: 110 })
    : `${JSON.stringify({ $schema: schema, ...draft }, null, 2)}\n`;
}

/** Returns the first line of a plan file, from which editors read the schema. */
export function schemaLine(schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n`;
}

/** Returns the capabilities of a testbed by id; without an id, the capabilities of this machine. */
type ViewOf = (testbedId: string | null) => TestbedView;

/**
 * Reads a plan file, YAML or JSON. An exported plan is read exactly; a hand-written plan is completed for a
 * testbed. Throws a 422 problem that names the field.
 */
export function parsePlanFile(text: string, viewOf: ViewOf): ExperimentDraft {
  const input = readDocument(text, planKind);
  const named = isRecord(input) ? (input.testbed ?? input.testbedId) : null;
  const completed = completePlan(input, viewOf(typeof named === 'string' ? named : null));
  if (!completed.ok) throw unprocessable(refused, completed.issues);
  return completed.draft;
}

/** Parses a plan file of any length, without blocking other requests. */
export async function readPlanFile(text: string, viewOf: ViewOf): Promise<ExperimentDraft> {
  return parsePlanFile(await longYamlAsJson(text, planKind), viewOf);
}
