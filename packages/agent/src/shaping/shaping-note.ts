import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod';
import { writeDurableFile } from '../server/durable-file.ts';
import { commonHandle } from './queue-tree.ts';

const noteSchema = z.strictObject({
  /** Where it was put on; after a restart of the device there is nothing left to take off. */
  networkStack: z.string(),
  table: z.string().nullable(),
  interfaces: z.array(z.string()),
  /** Of the queues on them. */
  handle: z.int().default(commonHandle),
});
export type Note = z.infer<typeof noteSchema>;

/** Says on disk what is about to be put on, so that whoever starts after a crash knows what to take off. */
export class ShapingNote {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  write(note: Note): Promise<void> {
    return writeDurableFile(this.#path, JSON.stringify(note));
  }

  /** null where there is none that can be read. */
  async read(): Promise<Note | null> {
    try {
      return noteSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      return null;
    }
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
