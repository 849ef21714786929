import { isImpaired, type TcpFacts } from '@mqttlab/shared/domain/plans/impairment';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { AppliedShaping, ShapingRequest } from '../shaping/link-shaper.ts';
import { type Endpoint, runNetworkTool } from '../shaping/network-tool.ts';
import { readNetworkStack } from '../shaping/probe-shaping.ts';
import {
  ClosedConnections,
  parseConnections,
  readConnections,
  readTcpCounters,
  type TcpCounters,
} from '../shaping/tcp-state.ts';
import type { RunContext } from './role.ts';

/** The impairment on this device; none if `order` is absent. */
type LinkRequest = Omit<ShapingRequest, 'order'> & { order: ShapingRequest['order'] | undefined };

export interface RunLinkOptions {
  context: Pick<RunContext, 'device' | 'log'>;
  spec: Pick<TrialSpec, 'impairment'>;
  /** Role whose ends of the connections are on this device. */
  side: 'broker' | 'client';
}

/** The link of one role in one run: its impairment, and the TCP statistics. */
export class RunLink {
  readonly #options: RunLinkOptions;
  readonly #degraded: RoleResult['degraded'] = [];
  #applied: AppliedShaping | null = null;
  #applying: Promise<unknown> | null = null;
  #marking: Promise<void> | null = null;
  #endpoint: Endpoint | null = null;
  #before: TcpCounters | null = null;
  #after: TcpCounters | null = null;
  /** Output of ss(8) at the end of the load. */
  #openConnections: string | null = null;
  #closedConnections: ClosedConnections | null = null;
  #isFinished = false;

  constructor(options: RunLinkOptions) {
    this.#options = options;
  }

  /**
   * Applies the impairment; call this before any client connects. Throws Failure 'shaping-failed' or
   * 'link-already-shaped'.
   */
  async prepare({ order, endpoint, interfaceName }: LinkRequest): Promise<void> {
    const { device, log } = this.#options.context;
    this.#endpoint = endpoint;
    if (isImpaired(this.#options.spec.impairment) && this.#options.side === 'client') {
      this.#closedConnections = new ClosedConnections(endpoint, device.records);
      await this.#closedConnections.start();
      // Cancelled in the meantime: rules applied now would never be removed.
      if (this.#isFinished) return;
    }
    if (order === undefined || order.rules.length === 0) return;
    const applying = device.shaper.apply({ order, endpoint, interfaceName });
    this.#applying = applying;
    this.#applied = await applying;
    const words = order.rules.map(({ flow, driver }) => `${driver} ${flow}`).join(', ');
    log.milestone('agent', `The link is impaired on this device: ${words}`);
  }

  /** Called when the load begins. */
  start(): void {
    this.#before = readTcpCounters(this.#options.context.device.procRoot);
    this.#marking = this.#mark();
  }

  /** Called when the load has ended and connections are still open. Never rejects. */
  async drain(): Promise<void> {
    this.#after = readTcpCounters(this.#options.context.device.procRoot);
    if (!isImpaired(this.#options.spec.impairment) || this.#endpoint === null) return;
    const endpoint = this.#endpoint;
    await this.#attempt('TCP_INFO', async () => {
      this.#openConnections = await readConnections(runNetworkTool, endpoint, this.#options.side);
    });
    await this.#marking;
    await this.#mark();
  }

  /**
   * Restores the link. `ports` are this role's local ports, if other roles on this device may have
   * connections to the same broker. Never rejects.
   */
  async finish(ports?: readonly number[]): Promise<Pick<RoleResult, 'shaping' | 'tcp' | 'degraded'>> {
    this.#isFinished = true;
    await this.#applying?.catch(() => {});
    await this.#marking;
    const applied = this.#applied;
    if (applied !== null) {
      await this.#attempt('shaping', () => applied.read());
      await this.#attempt('shaping removed', () => applied.remove());
    }
    const closed = (await this.#closedConnections?.stop()) ?? '';
    const open = this.#openConnections;
    const connections = open === null ? null : parseConnections({ open, closed, ...(ports && { ports }) });
    return { shaping: applied?.outcomes ?? [], tcp: this.#tcpFacts(connections), degraded: this.#degraded };
  }

  #mark(): Promise<void> {
    const { clock } = this.#options.context.device;
    return this.#attempt('shaping', async () => this.#applied?.readAt(() => clock.nowUs()));
  }

  #tcpFacts(connections: TcpFacts['connections']): RoleResult['tcp'] {
    const [before, after] = [this.#before, this.#after];
    if (before === null || after === null) return null;
    return {
      sentSegments: after.sentSegments - before.sentSegments,
      retransmittedSegments: after.retransmittedSegments - before.retransmittedSegments,
      networkStack: readNetworkStack(this.#options.context.device.procRoot),
      connections,
    };
  }

  async #attempt(collector: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#degraded.push({ collector, reason: reasonOf(error) });
    }
  }
}
