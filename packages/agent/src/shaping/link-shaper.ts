import { join } from 'node:path';
import type { ShapingCapability, ShapingOrder } from '@mqttlab/shared/domain/plans/impairment';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { readText } from '../base/kernel-files.ts';
import { identifyProcess } from '../children/child-records.ts';
import type { ShapingNote } from './applied-shaping.ts';
import { AppliedShaping, type Layout } from './applied-shaping.ts';
import { dropCommand, listTables, removeTable, tablePrefix } from './drop-table.ts';
import type { NetworkTool } from './network-tool.ts';
import { probeShaping, readNetworkStack, type ShapingProbe } from './probe-shaping.ts';
import { chooseHandle, findForeignRoot, queueCommands, readQueues, removeQueues } from './queue-tree.ts';
import type { Endpoint } from './traffic.ts';

export interface LinkShaperOptions {
  tool: NetworkTool;
  note: ShapingNote;
  procRoot: string;
  sysRoot: string;
  onTrouble: (text: string) => void;
}

export interface ShapingRequest {
  order: ShapingOrder;
  endpoint: Endpoint;
  /** Of the link; null where this device has none: only loopback can be shaped then. */
  interfaceName: string | null;
}

const loopback = 'lo';
const usualMtuBytes = 1_500;

/**
 * Makes links worse for the traffic of one Run, and takes it off again whatever happens: after the Run, when the
 * agent ends, and when it starts after a crash. Matches the broker's address and port, so that neither the agent's
 * connection to the server nor SSH is touched; on an interface with queues they pass beside them.
 */
export class LinkShaper {
  readonly #options: LinkShaperOptions;
  #probe: ShapingProbe | null = null;
  /** True until the rules of a crashed predecessor are removed. */
  #hasLeftOver = true;

  constructor(options: LinkShaperOptions) {
    this.#options = options;
  }

  /** Takes off what a crashed predecessor left, then tries what this device can do. Never rejects. */
  async open(): Promise<void> {
    const { tool, procRoot } = this.#options;
    await this.#removeLeftOver().catch((error: unknown) =>
      this.#options.onTrouble(
        `What a crashed agent left on the links could not be removed: ${reasonOf(error)}`,
      ),
    );
    this.#probe = await probeShaping(tool, procRoot);
  }

  get capability(): ShapingCapability | null {
    return this.#probe?.capability ?? null;
  }

  /** Throws Failure 'shaping-failed' with nothing left on. */
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
      await applied.remove().catch((trouble: unknown) => this.#options.onTrouble(reasonOf(trouble)));
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
    // The link may be loopback itself: then all of it is one interface.
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
    const { tool, note, procRoot, onTrouble } = this.#options;
    const left = await note.read();
    if (left !== null && left.networkStack === readNetworkStack(procRoot)) {
      const removed = [
        ...(left.table !== null && (await removeTable(tool, left.table)) ? ['its nft table'] : []),
      ];
      for (const name of left.interfaces) {
        if (await removeQueues(tool, name, left.handle)) removed.push(`its queues on ${name}`);
      }
      if (removed.length > 0) onTrouble(`Removed what a crashed agent left behind: ${removed.join(', ')}`);
    }
    await note.remove();
    await this.#removeOrphanTables();
    this.#hasLeftOver = false;
  }

  /** Tables of agents that live no more, and whose notes are gone with their folders. */
  async #removeOrphanTables(): Promise<void> {
    const { tool, procRoot, onTrouble } = this.#options;
    // Without nft or the right to use it there are none of ours.
    const names = await listTables(tool).catch(() => []);
    for (const name of names) {
      const [, pid = '0', startTicks = '0'] = /^mqttlab_(\d+)_(\d+)$/.exec(name) ?? [];
      if (pid === '0' || identifyProcess(procRoot, Number(pid))?.startTicks === Number(startTicks)) continue;
      if (await removeTable(tool, name)) onTrouble(`Removed ${name}, left behind by an earlier agent`);
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
