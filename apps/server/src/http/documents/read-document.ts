import * as YAML from 'yaml';
import * as z from 'zod';
import { type ProblemError, unprocessable } from '../../base/errors.ts';

/** Aliases may stand for a value now and then, not for a bomb. */
const maxAliases = 50;
/** A plan takes a few thousand; JSON may be longer, for it reads faster. */
const maxYamlCharacters = 200_000;

export interface DocumentKind {
  /** First sentence of a refusal. */
  detail: string;
  /** "a plan file". */
  what: string;
  /** Version that this mqttlab knows. */
  newest: number;
}

/** YAML or JSON as data. Throws a 422 problem where it is neither, or of a later version. */
export function readDocument(text: string, kind: DocumentKind): unknown {
  const input = readText(text, kind);
  const newer = z.object({ schemaVersion: z.number().gt(kind.newest) }).safeParse(input);
  if (!newer.success) return input;
  throw unprocessable(kind.detail, [
    {
      field: 'schemaVersion',
      reason: `the file has version ${newer.data.schemaVersion}, this mqttlab knows ${kind.newest}`,
      remedy: 'Open it with the newer mqttlab that wrote it, or update this one.',
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
    throw unreadable(kind, `it has over ${maxYamlCharacters.toLocaleString('en')} characters`);
  }
  // Uniqueness is checked below: the parser's own check compares every key with every other.
  const parsed = YAML.parseDocument(text, {
    schema: 'core',
    uniqueKeys: false,
    logLevel: 'error',
    prettyErrors: false,
  });
  const [error] = parsed.errors;
  if (error) throw unreadable(kind, error.message);
  const twice = findDuplicateKey(parsed);
  if (twice !== null) throw unreadable(kind, `"${twice}" is there twice`);
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

export function unreadable({ detail, what }: DocumentKind, reason: string): ProblemError {
  return unprocessable(detail, [
    {
      field: 'text',
      reason: `no valid YAML or JSON: ${reason.replace(/[.:\n]+$/, '')}`,
      remedy: `Send ${what} as the export writes it.`,
    },
  ]);
}
