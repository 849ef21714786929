import { readdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** Text of a file of /proc or /sys without the white space around it; null where it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Names in a folder, 2 before 10; empty where it cannot be read. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch {
    return [];
  }
}

/** Bytes that this user may still write there; null where the system does not tell. */
export async function readDiskFree(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
