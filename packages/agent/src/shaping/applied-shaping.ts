import type { ShapingOutcome, ShapingRule } from '@mqttlab/shared/domain/impairment';
import { readDrops, removeTable } from './drop-table.ts';
import type { NetworkTool } from './network-tool.ts';
import { findQueue, readQueues, removeQueues } from './queue-tree.ts';
import type { ShapingNote } from './shaping-note.ts';

/** What is put where. */
export interface Layout {
  table: { name: string; rules: readonly ShapingRule[] } | null;
  trees: readonly { interfaceName: string; rules: readonly ShapingRule[] }[];
}

type Counters = Pick<ShapingOutcome, 'packets' | 'dropped' | 'bytes' | 'inPlace'>;

const gone: Counters = { packets: null, dropped: null, bytes: null, inPlace: false };

/** What is on the links of this device for one Run: read, and taken off. */
export class AppliedShaping {
  readonly #tool: NetworkTool;
  readonly #note: ShapingNote;
  readonly #layout: Layout;
  #earlier: readonly ShapingOutcome[] = [];

  constructor(tool: NetworkTool, note: ShapingNote, layout: Layout) {
    this.#tool = tool;
    this.#note = note;
    this.#layout = layout;
  }

  /** By rule, as of now; what was gone at an earlier look stays gone. Rejects when the tools fail. */
  async read(): Promise<ShapingOutcome[]> {
    const found = [...(await this.#readDrops()), ...(await this.#readQueues())];
    const outcomes = found.map((outcome, index) => {
      const earlier = this.#earlier[index];
      if (earlier === undefined || (earlier.inPlace && outcome.inPlace)) return outcome;
      const counted = outcome.packets === null ? earlier : outcome;
      return { ...outcome, ...countersOf(counted), inPlace: false };
    });
    this.#earlier = outcomes;
    return outcomes;
  }

  /** As last read. */
  get outcomes(): readonly ShapingOutcome[] {
    return this.#earlier;
  }

  /** Leaves the links as they were found, then forgets the note. Idempotent. */
  async remove(): Promise<void> {
    const { table, trees } = this.#layout;
    if (table !== null) await removeTable(this.#tool, table.name);
    for (const { interfaceName } of trees) await removeQueues(this.#tool, interfaceName);
    await this.#note.remove();
  }

  async #readDrops(): Promise<ShapingOutcome[]> {
    const { table } = this.#layout;
    if (table === null) return [];
    const { name, rules } = table;
    const counters = await readDrops(this.#tool, { table: name, rules: rules.length });
    return rules.map((rule, index) => {
      const counted = counters?.[index];
      return { ...rule, interfaces: [], ...(counted ? { ...counted, inPlace: true } : gone) };
    });
  }

  async #readQueues(): Promise<ShapingOutcome[]> {
    const perTree = await Promise.all(
      this.#layout.trees.map(async ({ interfaceName, rules }) => {
        const qdiscs = await readQueues(this.#tool, interfaceName);
        return rules.map((rule, index) => {
          const found = findQueue(qdiscs, index, rule.driver);
          const counters: Counters = found
            ? {
                packets: found.packets + found.drops + found.qlen,
                dropped: found.drops,
                bytes: found.bytes,
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

function countersOf({ packets, dropped, bytes }: ShapingOutcome): Omit<Counters, 'inPlace'> {
  return { packets, dropped, bytes };
}
