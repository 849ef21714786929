import { readFile, writeFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import * as YAML from 'yaml';
import { usageError } from './cli.ts';

/** Reads a file. Throws a usage error if it cannot be read. */
export function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read ${path}: ${error.message}`);
  });
}

/** Reads a file. Throws a usage error if it cannot be read. */
export function readBytes(path: string): Promise<Buffer<ArrayBuffer>> {
  return readFile(path).catch((error: Error) => {
    throw usageError(`cannot read ${path}: ${error.message}`);
  });
}

/** Reads a YAML or JSON file; "-" is standard input. Throws a usage error if it cannot be read or parsed. */
export async function readDocument(path: string): Promise<unknown> {
  const text = path === '-' ? await textOf(process.stdin) : await readText(path);
  try {
    return YAML.parse(text, { maxAliasCount: 0 });
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw usageError(`${path} is neither YAML nor JSON: ${line}`);
  }
}

/** Writes a file. Throws a usage error if it cannot be written or, with `isNew`, if it exists. */
export async function writeOutput(
  path: string,
  content: string | Uint8Array,
  { isNew = false } = {},
): Promise<void> {
  await writeFile(path, content, { flag: isNew ? 'wx' : 'w' }).catch((error: Error) => {
    throw usageError(`cannot write ${path}: ${error.message}`);
  });
}
