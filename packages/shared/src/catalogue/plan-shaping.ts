import { neededRoles, type Role } from '../domain/devices/device.ts';
import type { Refusal } from '../domain/factor.ts';
import {
  type Flow,
  flows,
  type Impairment,
  isImpaired,
  type ShapingCapability,
  type ShapingDriver,
  type ShapingOrder,
  type ShapingRule,
} from '../domain/plans/impairment.ts';

/** The shaping capabilities of one device in a trial. */
export interface ShapingEnd {
  /** Device id, unique within the trial. */
  id: string;
  name: string;
  role: Role;
  /** null if the device's agent does not support shaping. */
  shaping: ShapingCapability | null;
}

export type ShapingPlan =
  | { ok: true; orders: ReadonlyMap<string, ShapingOrder> }
  | { ok: false; refusal: Refusal };

interface Part {
  flow: Flow;
  at: ShapingRule['at'];
  driver: ShapingDriver;
  values: Pick<ShapingRule, 'lossPercent' | 'delayMs' | 'jitterMs' | 'rateMbit'>;
}

type Draft = { ok: true; parts: Part[] } | { ok: false; refusal: Refusal };

/**
 * Plans the shaping rules for each device: netem if every sender in a direction supports it. Otherwise,
 * nftables drops packets at the receiver, and tbf limits the rate at the sender. Devices that share a network
 * stack (all three in the built-in testbed) also share their interfaces, so only one of them applies the
 * rules: the broker's device if it is present.
 */
export function planShaping(impairment: Impairment, devices: readonly ShapingEnd[]): ShapingPlan {
  if (!isImpaired(impairment)) return { ok: true, orders: new Map() };
  // Bridges are not on the path between the clients and the broker.
  const ends = devices.filter(({ role }) => neededRoles.some((needed) => needed === role));
  const rulesOf = new Map<string, ShapingRule[]>();
  for (const flow of flows) {
    if (impairment.direction !== 'both' && impairment.direction !== flow) continue;
    const draft = draftFlow(flow, impairment, ends);
    if (!draft.ok) return draft;
    for (const part of draft.parts) {
      for (const stack of stacksOf(ends)) {
        const rule = ruleFor(part, { stack, ends });
        const leader = stack.find(isBroker) ?? stack[0];
        if (rule && leader) rulesOf.set(leader.id, [...(rulesOf.get(leader.id) ?? []), rule]);
      }
    }
  }
  return { ok: true, orders: new Map([...rulesOf].map(([id, rules]) => [id, { rules }])) };
}

function draftFlow(flow: Flow, impairment: Impairment, ends: readonly ShapingEnd[]): Draft {
  const { lossPercent, delayMs, jitterMs, rateMbit } = impairment;
  const senders = sendersOf(flow, ends);
  const receivers = ends.filter((end) => !senders.includes(end));
  const noNetem = refusalOf(senders, 'netem');
  const all = { lossPercent, delayMs, jitterMs, rateMbit };
  if (noNetem === null) {
    return { ok: true, parts: [{ flow, at: 'egress', driver: 'netem', values: all }] };
  }
  if (delayMs > 0 || jitterMs > 0) return { ok: false, refusal: cannot('delay packets', noNetem) };
  const nothing = { lossPercent: 0, delayMs: 0, jitterMs: 0, rateMbit: null };
  const parts: Part[] = [];
  if (lossPercent > 0) {
    const noDrop = refusalOf(receivers, 'nftables');
    if (noDrop !== null) return { ok: false, refusal: cannot('drop packets', noDrop) };
    parts.push({ flow, at: 'input', driver: 'nftables', values: { ...nothing, lossPercent } });
  }
  if (rateMbit !== null) {
    const noRate = refusalOf(senders, 'tbf');
    if (noRate !== null) return { ok: false, refusal: cannot('limit the rate', noRate) };
    parts.push({ flow, at: 'egress', driver: 'tbf', values: { ...nothing, rateMbit } });
  }
  return { ok: true, parts };
}

/** Returns null if this stack needs no rule for the part. */
function ruleFor(
  { flow, at, driver, values }: Part,
  { stack, ends }: { stack: readonly ShapingEnd[]; ends: readonly ShapingEnd[] },
): ShapingRule | null {
  const senders = sendersOf(flow, ends);
  const acting = ends.filter((end) => senders.includes(end) === (at === 'egress'));
  const others = ends.filter((end) => !acting.includes(end));
  if (!acting.some((end) => stack.includes(end))) return null;
  const overLoopback = others.some((end) => stack.includes(end));
  const overLink = others.some((end) => !stack.includes(end));
  return { flow, at, driver, ...values, overLink, overLoopback };
}

function sendersOf(flow: Flow, ends: readonly ShapingEnd[]): ShapingEnd[] {
  return ends.filter((end) => isBroker(end) === (flow === 'from the broker'));
}

function isBroker({ role }: ShapingEnd): boolean {
  return role === 'broker';
}

/** Groups devices by network stack. A device with an unknown stack is a separate group. */
function stacksOf(ends: readonly ShapingEnd[]): ShapingEnd[][] {
  return [...Map.groupBy(ends, ({ id, shaping }) => shaping?.networkStack || id).values()];
}

/** Returns why the first unsuitable device cannot use this driver; null if all devices can. */
function refusalOf(ends: readonly ShapingEnd[], driver: ShapingDriver): string | null {
  for (const { name, shaping } of ends) {
    const why = shaping === null ? 'its agent does not support it' : shaping.refusals[driver];
    if (why !== null) return `${name}, ${driver}: ${why}`;
  }
  return null;
}

function cannot(what: string, why: string): Refusal {
  const remedy = /CAP_NET_ADMIN/.test(why)
    ? 'Start mqttlab as root on this machine, or give that device’s agent CAP_NET_ADMIN.'
    : /not installed/.test(why)
      ? 'Install it on that device, then restart the agent.'
      : 'Choose 0, or devices whose kernel supports it (Raspberry Pi OS has netem).';
  return { reason: `this testbed cannot ${what} (${why})`, remedy };
}
