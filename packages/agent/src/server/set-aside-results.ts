import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import {
  maxSetAside,
  resultKeySchema,
  type SetAside,
  setAsideNameSchema,
} from '@mqttlab/shared/messages/set-aside';
import * as z from 'zod';
import { readJsonFile } from '../base/durable-file.ts';

const reasonSchema = z.object({ reason: z.string(), refusedAt: z.number() });
const [ending, reasonEnding] = ['.json', '.reason'];

export interface SetAsideOptions {
  folder: string;
  nowMs: () => number;
  onTrouble: (text: string) => void;
  /** There is one more. */
  onAdded?: () => void;
}

/** Results that will never be stored, with the reason: kept on the device's disk and never sent again by themselves. */
export class SetAsideResults {
  readonly #options: SetAsideOptions;
  readonly #entries = new Map<string, SetAside>();
  /** Those that the disk did not take: they live as long as this process does. */
  readonly #unwritten = new Map<string, string>();

  constructor(options: SetAsideOptions) {
    this.#options = options;
  }

  /** Finds what an earlier agent left; call once before anything else. */
  async open(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const file of (await readdir(folder)).sort()) {
      const name = file.endsWith(ending) ? file.slice(0, -ending.length) : '';
      const key = resultKeySchema.safeParse(name.replace(/-\d+$/, ''));
      if (!setAsideNameSchema.safeParse(name).success || !key.success) continue;
      const [about, { size, mtimeMs }] = await Promise.all([
        readJsonFile(join(folder, `${name}${reasonEnding}`), reasonSchema),
        sizeOf(join(folder, file)),
      ]);
      const { reason, refusedAt } = about ?? { reason: 'the reason was not kept', refusedAt: mtimeMs };
      this.#entries.set(name, { name, key: key.data, reason, refusedAt, bytes: size });
    }
  }

  /** Newest last, at most as many as the server takes. */
  list(): SetAside[] {
    return [...this.#entries.values()].sort((a, b) => a.refusedAt - b.refusedAt).slice(-maxSetAside);
  }

  /**
   * Takes a file over, or a text that is in no file. A full disk loses the reason at most; false where the file cannot
   * be moved. Never rejects.
   */
  async add(key: string, reason: string, from: { path: string } | { text: string }): Promise<boolean> {
    const { folder, nowMs, onTrouble, onAdded } = this.#options;
    const refusedAt = nowMs();
    const name = this.#freeName(key, Math.round(refusedAt));
    const path = join(folder, `${name}${ending}`);
    try {
      if ('path' in from) await rename(from.path, path);
      else await writeFile(path, from.text, { mode: 0o600 });
    } catch (error) {
      if ('text' in from) this.#unwritten.set(name, from.text);
      onTrouble(`The refused result ${key} could not be moved to ${folder}: ${reasonOf(error)}`);
      if ('path' in from) return false;
    }
    const bytes = 'text' in from ? Buffer.byteLength(from.text) : (await sizeOf(path)).size;
    this.#entries.set(name, { name, key, reason: reason.slice(0, 1000), refusedAt, bytes });
    try {
      const about = JSON.stringify({ reason, refusedAt });
      await writeFile(join(folder, `${name}${reasonEnding}`), about, { mode: 0o600 });
    } catch (error) {
      await rm(join(folder, `${name}${reasonEnding}`), { force: true }).catch(() => {});
      onTrouble(`Why the result ${key} was refused could not be kept: ${reasonOf(error)}`);
    }
    onAdded?.();
    return true;
  }

  /** null where it is gone. */
  async read(name: string): Promise<string | null> {
    if (!this.#entries.has(name)) return null;
    const unwritten = this.#unwritten.get(name);
    if (unwritten !== undefined) return unwritten;
    return readFile(join(this.#options.folder, `${name}${ending}`), 'utf8').catch(() => null);
  }

  /** The same Run may have been refused before. */
  #freeName(key: string, at: number): string {
    return this.#entries.has(`${key}-${at}`) ? this.#freeName(key, at + 1) : `${key}-${at}`;
  }
}

/** Size and time of a file; zeros if the disk does not report them, because the file is listed all the same. */
async function sizeOf(path: string): Promise<{ size: number; mtimeMs: number }> {
  return stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
}
