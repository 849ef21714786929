import { rm } from 'node:fs/promises';
import type { ShapingOutcome, ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import * as z from 'zod';
import { readJsonFile, writeDurableFile } from '../base/durable-file.ts';
import { readDrops, removeTable } from './drop-table.ts';
import type { NetworkTool } from './network-tool.ts';
import { commonHandle, findQueue, type QueueHandle, readQueues, removeQueues } from './queue-tree.ts';

/** What is put where. */
export interface Layout {
  table: { name: string; rules: readonly ShapingRule[] } | null;
  /** Of the queues. */
  handle: QueueHandle;
  trees: readonly { interfaceName: string; rules: readonly ShapingRule[] }[];
}

type Counters = Pick<ShapingOutcome, 'packets' | 'dropped' | 'bytes' | 'burstBytes' | 'inPlace'>;
type Reading = Omit<ShapingOutcome, 'load'>;

interface Passed {
  bytes: number | null;
  atUs: number;
}

const gone: Counters = { packets: null, dropped: null, bytes: null, burstBytes: 0, inPlace: false };

/** What is on the links of this device for one Run: read, and taken off. */
export class AppliedShaping {
  readonly #tool: NetworkTool;
  readonly #note: ShapingNote;
  readonly #layout: Layout;
  #earlier: readonly Reading[] = [];
  /** By rule, as load began and as it was over. */
  #load: readonly (readonly Passed[])[] = [];

  constructor(tool: NetworkTool, note: ShapingNote, layout: Layout) {
    this.#tool = tool;
    this.#note = note;
    this.#layout = layout;
  }

  /** As load begins and as it is over: what passes between the two is its rate. Rejects when the tools fail. */
  async readAt(nowUs: () => number): Promise<void> {
    const found = await this.read();
    const atUs = nowUs();
    this.#load = [...this.#load, found.map(({ bytes }) => ({ bytes, atUs }))];
  }

  /** By rule, as of now; what was gone at an earlier look stays gone. Rejects when the tools fail. */
  async read(): Promise<readonly Reading[]> {
    const found = [...(await this.#readDrops()), ...(await this.#readQueues())];
    this.#earlier = found.map((reading, index) => {
      const earlier = this.#earlier[index];
      if (earlier === undefined || (earlier.inPlace && reading.inPlace)) return reading;
      const counted = reading.packets === null ? earlier : reading;
      return { ...reading, ...countersOf(counted), inPlace: false };
    });
    return this.#earlier;
  }

  /** As last read. */
  get outcomes(): ShapingOutcome[] {
    const [first, second] = this.#load;
    return this.#earlier.map((reading, index) => ({
      ...reading,
      load: loadBetween(first?.[index], second?.[index]),
    }));
  }

  /** Leaves the links as they were found, then forgets the note. Idempotent. */
  async remove(): Promise<void> {
    const { table, trees, handle } = this.#layout;
    if (table !== null) await removeTable(this.#tool, table.name);
    for (const { interfaceName } of trees) await removeQueues(this.#tool, interfaceName, handle);
    await this.#note.remove();
  }

  async #readDrops(): Promise<Reading[]> {
    const { table } = this.#layout;
    if (table === null) return [];
    const { name, rules } = table;
    const counters = await readDrops(this.#tool, { table: name, rules: rules.length });
    return rules.map((rule, index) => {
      const counted = counters?.[index];
      return { ...rule, interfaces: [], ...(counted ? { ...counted, burstBytes: 0, inPlace: true } : gone) };
    });
  }

  async #readQueues(): Promise<Reading[]> {
    const perTree = await Promise.all(
      this.#layout.trees.map(async ({ interfaceName, rules }) => {
        const qdiscs = await readQueues(this.#tool, interfaceName);
        return rules.map((rule, index) => {
          const found = findQueue(qdiscs, { handle: this.#layout.handle, index, kind: rule.driver });
          const counters: Counters = found
            ? {
                packets: found.packets + found.drops + found.qlen,
                dropped: found.drops,
                bytes: found.bytes,
                burstBytes: found.options.burst,
                inPlace: true,
              }
            : gone;
          return { ...rule, interfaces: [interfaceName], ...counters };
        });
      }),
    );
    return perTree.flat();
  }
}

function countersOf({ packets, dropped, bytes, burstBytes }: Reading): Omit<Counters, 'inPlace'> {
  return { packets, dropped, bytes, burstBytes };
}

function loadBetween(first: Passed | undefined, second: Passed | undefined): ShapingOutcome['load'] {
  const [before, after] = [first?.bytes ?? null, second?.bytes ?? null];
  const durationUs = (second?.atUs ?? 0) - (first?.atUs ?? 0);
  return before === null || after === null || durationUs <= 0
    ? null
    : { bytes: Math.max(0, after - before), durationUs };
}

const noteSchema = z.strictObject({
  /** Where it was put on; after a restart of the device there is nothing left to take off. */
  networkStack: z.string(),
  table: z.string().nullable(),
  interfaces: z.array(z.string()),
  /** Of the queues on them. */
  handle: z.int().default(commonHandle),
});
type Note = z.infer<typeof noteSchema>;

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
  read(): Promise<Note | null> {
    return readJsonFile(this.#path, noteSchema);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
