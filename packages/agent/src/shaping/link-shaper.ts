import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ShapingCapability,
  ShapingOrder,
  ShapingOutcome,
  ShapingRule,
} from '@mqttlab/shared/domain/plans/impairment';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import * as z from 'zod';
import { identifyProcess } from '../processes/child-records.ts';
import { readJsonFile, readText, writeDurableFile } from '../processes/files.ts';
import {
  chooseHandle,
  commonHandle,
  dropCommand,
  findForeignRoot,
  findQueue,
  listTables,
  type QueueHandle,
  queueCommands,
  readDrops,
  readQueues,
  removeQueues,
  removeTable,
  tablePrefix,
} from './kernel-rules.ts';
import type { Endpoint, NetworkTool } from './network-tool.ts';
import { probeShaping, readNetworkStack, type ShapingProbe } from './probe-shaping.ts';

interface LinkShaperOptions {
  tool: NetworkTool;
  note: ShapingNote;
  procRoot: string;
  sysRoot: string;
  onFailure: (text: string) => void;
}

export interface ShapingRequest {
  order: ShapingOrder;
  endpoint: Endpoint;
  /** Interface of the link; null if this device has none, in which case only loopback can be shaped. */
  interfaceName: string | null;
}

const loopback = 'lo';
const usualMtuBytes = 1_500;

/**
 * Impairs links for the traffic of one run, and always restores them: after the run, when the agent ends, and
 * when it starts after a crash. Matches the broker's address and port, so that neither the agent's connection
 * to the server nor SSH is affected; on an interface with queues, their packets bypass the queues.
 */
export class LinkShaper {
  readonly #options: LinkShaperOptions;
  #probe: ShapingProbe | null = null;
  /** True until the rules of a crashed predecessor are removed. */
  #hasLeftOver = true;

  constructor(options: LinkShaperOptions) {
    this.#options = options;
  }

  /** Removes the rules of a crashed predecessor, then tests what this device supports. Never rejects. */
  async open(): Promise<void> {
    const { tool, procRoot } = this.#options;
    await this.#removeLeftOver().catch((error: unknown) =>
      this.#options.onFailure(
        `The rules of a crashed agent could not be removed from the links: ${reasonOf(error)}`,
      ),
    );
    this.#probe = await probeShaping(tool, procRoot);
  }

  get capability(): ShapingCapability | null {
    return this.#probe?.capability ?? null;
  }

  /** Applies the rules. Throws Failure 'shaping-failed', in which case no rule is applied. */
  async apply(request: ShapingRequest): Promise<AppliedShaping> {
    const { tool, note, procRoot } = this.#options;
    if (this.#hasLeftOver) {
      await this.#removeLeftOver().catch((error: unknown) => {
        throw cannotShape(reasonOf(error));
      });
    }
    const layout = this.#layOut(request);
    const applied = new AppliedShaping(tool, note, layout);
    try {
      await Promise.all(layout.trees.map(({ interfaceName }) => this.#refuseForeign(interfaceName)));
      await note.write({
        networkStack: readNetworkStack(procRoot),
        table: layout.table?.name ?? null,
        interfaces: layout.trees.map(({ interfaceName }) => interfaceName),
        handle: layout.handle,
      });
      await this.#putOn(layout, request.endpoint);
      return applied;
    } catch (error) {
      await applied.remove().catch((trouble: unknown) => this.#options.onFailure(reasonOf(trouble)));
      throw error instanceof Failure ? error : cannotShape(reasonOf(error));
    }
  }

  async #putOn(layout: Layout, endpoint: Endpoint): Promise<void> {
    const { tool } = this.#options;
    const { table, trees, handle } = layout;
    if (table !== null) await tool('nft', [dropCommand(table.name, table.rules, endpoint)]);
    const classifier = this.#probe?.classifier ?? 'htb';
    for (const { interfaceName, rules } of trees) {
      const mtuBytes = this.#readMtu(interfaceName);
      for (const args of queueCommands({ interfaceName, handle, mtuBytes, rules, endpoint }, classifier)) {
        await tool('tc', args);
      }
    }
  }

  #layOut({ order, interfaceName }: ShapingRequest): Layout {
    const { procRoot } = this.#options;
    const drops = order.rules.filter(({ driver }) => driver === 'nftables');
    const queues = order.rules.filter(({ driver }) => driver !== 'nftables');
    const overLink = queues.filter((rule) => rule.overLink);
    const overLoopback = queues.filter((rule) => rule.overLoopback);
    if (overLink.length > 0 && interfaceName === null) {
      throw cannotShape('this device has no interface for the link');
    }
    // If the link itself is loopback, all rules are on one interface.
    const all =
      interfaceName === loopback
        ? [[loopback, queues] as const]
        : [[interfaceName ?? '', overLink] as const, [loopback, overLoopback] as const];
    const startTicks = identifyProcess(procRoot, process.pid)?.startTicks ?? 0;
    return {
      table: drops.length === 0 ? null : { name: `${tablePrefix}${process.pid}_${startTicks}`, rules: drops },
      trees: all
        .filter(([, rules]) => rules.length > 0)
        .map(([name, rules]) => ({ interfaceName: name, rules })),
      handle: chooseHandle(),
    };
  }

  async #refuseForeign(interfaceName: string): Promise<void> {
    const foreign = findForeignRoot(await readQueues(this.#options.tool, interfaceName));
    if (foreign === undefined) return;
    throw new Failure({
      code: 'link-already-shaped',
      message: `Another program or agent on this host has added the queue ${foreign.kind} ${foreign.handle} on ${interfaceName}.`,
      remedy: `Remove it (tc qdisc del dev ${interfaceName} root), or choose another link.`,
    });
  }

  #readMtu(interfaceName: string): number {
    return Number(readText(join(this.#options.sysRoot, 'class/net', interfaceName, 'mtu'))) || usualMtuBytes;
  }

  async #removeLeftOver(): Promise<void> {
    const { tool, note, procRoot, onFailure } = this.#options;
    const left = await note.read();
    if (left !== null && left.networkStack === readNetworkStack(procRoot)) {
      const removed = [
        ...(left.table !== null && (await removeTable(tool, left.table)) ? ['its nft table'] : []),
      ];
      for (const name of left.interfaces) {
        if (await removeQueues(tool, name, left.handle)) removed.push(`its queues on ${name}`);
      }
      if (removed.length > 0) onFailure(`Removed rules left by a crashed agent: ${removed.join(', ')}`);
    }
    await note.remove();
    await this.#removeOrphanTables();
    this.#hasLeftOver = false;
  }

  /** Removes tables of agents that have exited and whose records were removed with their folders. */
  async #removeOrphanTables(): Promise<void> {
    const { tool, procRoot, onFailure } = this.#options;
    // Without nft or permission to use it, there are no such tables.
    const names = await listTables(tool).catch(() => []);
    for (const name of names) {
      const [, pid = '0', startTicks = '0'] = /^mqttlab_(\d+)_(\d+)$/.exec(name) ?? [];
      if (pid === '0' || identifyProcess(procRoot, Number(pid))?.startTicks === Number(startTicks)) continue;
      if (await removeTable(tool, name)) onFailure(`Removed ${name} left by an earlier agent`);
    }
  }
}

function cannotShape(reason: string): Failure {
  return new Failure({
    code: 'shaping-failed',
    message: `The link cannot be impaired on this device: ${reason}.`,
    remedy: 'Run the agent as root or with CAP_NET_ADMIN, and install nftables and iproute2 there.',
  });
}

/** Rules by interface. */
interface Layout {
  table: { name: string; rules: readonly ShapingRule[] } | null;
  /** Handle of the queues. */
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

/** The rules on this device's links for one run, which can be read and removed. */
export class AppliedShaping {
  readonly #tool: NetworkTool;
  readonly #note: ShapingNote;
  readonly #layout: Layout;
  #earlier: readonly Reading[] = [];
  /** Counters by rule at the start and end of the load. */
  #load: readonly (readonly Passed[])[] = [];

  constructor(tool: NetworkTool, note: ShapingNote, layout: Layout) {
    this.#tool = tool;
    this.#note = note;
    this.#layout = layout;
  }

  /**
   * Reads the counters; call this at the start and end of the load: the difference is the rate. Rejects if
   * the tools fail.
   */
  async readAt(nowUs: () => number): Promise<void> {
    const found = await this.read();
    const atUs = nowUs();
    this.#load = [...this.#load, found.map(({ bytes }) => ({ bytes, atUs }))];
  }

  /**
   * Returns the current counters by rule; a rule that was missing once stays missing. Rejects if the tools
   * fail.
   */
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

  /** Returns the outcomes of the last reading. */
  get outcomes(): ShapingOutcome[] {
    const [first, second] = this.#load;
    return this.#earlier.map((reading, index) => ({
      ...reading,
      load: loadBetween(first?.[index], second?.[index]),
    }));
  }

  /** Restores the links, then deletes the record. Idempotent. */
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
  /** Boot id of the device; after a restart there is nothing to remove. */
  networkStack: z.string(),
  table: z.string().nullable(),
  interfaces: z.array(z.string()),
  /** Handle of the queues on these interfaces. */
  handle: z.int().default(commonHandle),
});
type Note = z.infer<typeof noteSchema>;

/**
 * Records on disk which rules are about to be applied, so that the next agent can remove them after a crash.
 */
export class ShapingNote {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  write(note: Note): Promise<void> {
    return writeDurableFile(this.#path, JSON.stringify(note));
  }

  /** Returns null if there is no readable record. */
  read(): Promise<Note | null> {
    return readJsonFile(this.#path, noteSchema);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
