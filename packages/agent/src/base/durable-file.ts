import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type * as z from 'zod';

/**
 * Writes a whole file so that after a power cut either all of it or nothing is there.
 * Throws the system's error (ENOSPC, EACCES ...) and leaves no half file behind.
 */
export async function writeDurableFile(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await writeAndSync(draft, text);
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    // The caller needs the cause; the next start removes a draft that stays.
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is durable only once its folder is on the disk as well. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** What a file says; null where it is gone, half written or something else. */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
