import { type Role, roles } from '@mqttlab/shared/domain/device';
import type { ClockOffset, RunClock } from '@mqttlab/shared/domain/role-result';
import type { AgentLink } from '../testbed/agent-link.ts';
import { measureClockOffset } from '../testbed/clock-offset.ts';

export type RoleClocks = Readonly<Record<Role, RunClock>>;

export interface RunClocksOptions {
  links: Readonly<Record<Role, AgentLink>>;
  /** Of the server's own kernel. */
  bootId: string;
  /** After each exchange: what is known by then. */
  onCompared?: ((clocks: RoleClocks) => void) | undefined;
}

/** The clocks of the devices of one Run against that of the server, before its load and after. */
export class RunClocks {
  readonly #options: RunClocksOptions;
  #before: Readonly<Record<Role, ClockOffset>> | null = null;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** The offsets that the Run is carried out with. Rejects with AgentError. */
  async compareBefore(): Promise<Readonly<Record<Role, ClockOffset>>> {
    const before = await this.#compare();
    this.#before = before;
    this.#options.onCompared?.(eachRole((role) => ({ before: before[role], after: null })));
    return before;
  }

  /** How they have drifted. Rejects with AgentError. */
  async compareAfter(): Promise<void> {
    const before = this.#before;
    if (before === null) throw new Error('the clocks were not compared before the load');
    const after = await this.#compare();
    this.#options.onCompared?.(eachRole((role) => ({ before: before[role], after: after[role] })));
  }

  /** Devices that share a kernel have one clock, and get one offset: between them no error is left. */
  async #compare(): Promise<Readonly<Record<Role, ClockOffset>>> {
    const { links, bootId } = this.#options;
    const byKernel = new Map<string, Promise<ClockOffset>>();
    const offsets = eachRole((role) => {
      const link = links[role];
      const kernel = link.capabilities.bootId || link.deviceId;
      const known = byKernel.get(kernel) ?? measureClockOffset(link, bootId);
      byKernel.set(kernel, known);
      return known;
    });
    await Promise.all(byKernel.values());
    return {
      broker: await offsets.broker,
      publisher: await offsets.publisher,
      subscriber: await offsets.subscriber,
    };
  }
}

function eachRole<T>(make: (role: Role) => T): Record<Role, T> {
  return Object.fromEntries(roles.map((role) => [role, make(role)])) as Record<Role, T>;
}

/** Whether the clients must be told to take the round trip too: two kernels never have quite one clock. */
export function needsMirror(links: Readonly<Record<Role, Pick<AgentLink, 'capabilities'>>>): boolean {
  const { publisher, subscriber } = links;
  return publisher.capabilities.bootId !== subscriber.capabilities.bootId;
}
