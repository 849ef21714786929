import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Project } from './config.ts';

const packageSchema = z.object({ name: z.literal('mqttlab'), version: z.string() });

/** Folder of the project: the nearest parent folder with its package.json, for source and bundle. */
export function findProject(from = dirname(fileURLToPath(import.meta.url))): Project {
  for (let folder = from; ; folder = dirname(folder)) {
    const version = readVersion(join(folder, 'package.json'));
    if (version !== null) return { root: folder, version };
    if (folder === dirname(folder)) throw new Error(`no mqttlab project in or above ${from}`);
  }
}

function readVersion(path: string): string | null {
  if (!existsSync(path)) return null;
  const parsed = packageSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  return parsed.success ? parsed.data.version : null;
}
