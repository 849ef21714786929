import { randomInt } from 'node:crypto';
import type { ShapingDriver, ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import * as z from 'zod';
import { type Endpoint, type NetworkTool, nftMatch, u32Matches } from './network-tool.ts';

/**
 * Handle of the root; the queues below it have the following handles. Agents that share a host have different
 * handles.
 */
export type QueueHandle = number;

/** Handle that all agents used in earlier versions. */
export const commonHandle: QueueHandle = 0x4d51;
const firstClass = 0x10;
/** The kernel assigns handles from 8000 up; each tree has room for fifteen queues. */
const [minHandle, handles, handleStep] = [0x1000, 0x6ff, 0x10];

/**
 * Chooses a random handle out of 1,791. Its owner is identified by the record on disk, never by the number.
 */
export function chooseHandle(): QueueHandle {
  return minHandle + randomInt(handles) * handleStep;
}

/** Filter for the run's traffic on an interface; all other traffic is unaffected. */
export const classifiers = ['htb', 'prio'] as const;
export type Classifier = (typeof classifiers)[number];

/** An htb queue that limits nothing itself. */
const unlimited = ['rate', '10gbit', 'quantum', '60000'];
/** prio sends all unmatched traffic, whatever its TOS, to its first band; the other bands are for rules. */
const prioRoot = ['prio', 'bands', '9', 'priomap', ...Array.from({ length: 16 }, () => '0')];

interface QueueTree {
  interfaceName: string;
  handle: QueueHandle;
  mtuBytes: number;
  rules: readonly ShapingRule[];
  endpoint: Endpoint;
}

/** Returns all `tc` commands that create a tree, in order. */
export function queueCommands(tree: QueueTree, classifier: Classifier): string[][] {
  const { interfaceName, handle, mtuBytes, rules, endpoint } = tree;
  const rootHandle = written(handle);
  const dev = ['dev', interfaceName];
  const root = classifier === 'htb' ? ['htb', 'default', '0'] : prioRoot;
  return [
    ['qdisc', 'add', ...dev, 'root', 'handle', rootHandle, ...root],
    ...rules.flatMap((rule, index) => {
      const parent = `${rootHandle}${classMinor(classifier, index)}`;
      const driver = queueDrivers[rule.driver];
      if (driver === undefined) throw new Error(`${rule.driver} is not a queue`);
      return [
        ...(classifier === 'htb'
          ? [['class', 'add', ...dev, 'parent', rootHandle, 'classid', parent, 'htb', ...unlimited]]
          : []),
        [
          'qdisc',
          'add',
          ...dev,
          'parent',
          parent,
          'handle',
          childHandle(handle, index),
          ...driver.args(rule, mtuBytes),
        ],
        ...u32Matches(rule.flow, endpoint).map((match) => [
          'filter',
          'add',
          ...dev,
          'parent',
          rootHandle,
          ...match,
          'flowid',
          parent,
        ]),
      ];
    }),
  ];
}

/** Removes the tree with this handle, if there is one, and no other tree. Rejects if the removal fails. */
export async function removeQueues(
  tool: NetworkTool,
  interfaceName: string,
  handle: QueueHandle,
): Promise<boolean> {
  const isThere = hasRoot(await readQueues(tool, interfaceName), handle);
  if (isThere) await tool('tc', ['qdisc', 'del', 'dev', interfaceName, 'root', 'handle', written(handle)]);
  return isThere;
}

/** Returns an empty list if the interface no longer exists. */
export async function readQueues(tool: NetworkTool, interfaceName: string): Promise<Qdisc[]> {
  try {
    return parseQdiscs(await tool('tc', ['-s', '-j', 'qdisc', 'show', 'dev', interfaceName]));
  } catch (error) {
    if (error instanceof Error && /Cannot find device/.test(error.message)) return [];
    throw error;
  }
}

/** Returns the counters of the rule at `index`; undefined if the rule or the tree above it is missing. */
export function findQueue(
  qdiscs: readonly Qdisc[],
  { handle, index, kind }: { handle: QueueHandle; index: number; kind: string },
): Qdisc | undefined {
  const found = qdiscs.find((qdisc) => qdisc.handle === childHandle(handle, index));
  return hasRoot(qdiscs, handle) && found?.kind === kind ? found : undefined;
}

/** Returns a queue that another program or agent has set, which must not be replaced. */
export function findForeignRoot(qdiscs: readonly Qdisc[]): Qdisc | undefined {
  return qdiscs.find(({ root, handle }) => root && handle !== '0:');
}

function hasRoot(qdiscs: readonly Qdisc[], handle: QueueHandle): boolean {
  return qdiscs.some((qdisc) => qdisc.root && qdisc.handle === written(handle));
}

/** Returns the minor number of a class. Classes of prio are bands, counted from 1. */
function classMinor(classifier: Classifier, index: number): string {
  return (classifier === 'htb' ? firstClass + index : 2 + index).toString(16);
}

function childHandle(handle: QueueHandle, index: number): string {
  return written(handle + 1 + index);
}

function written(handle: QueueHandle): string {
  return `${handle.toString(16)}:`;
}

/** Parameters of one queueing discipline. */
interface QueueDriver {
  /**
   * Returns the arguments after `tc qdisc add dev <interface> parent <class> handle <handle>`. `mtuBytes` is
   * the MTU of that interface.
   */
  args(rule: ShapingRule, mtuBytes: number): string[];
}

/** Maximum number of packets in flight: 10 s of delay at 10,000 packets/s. */
const netemPackets = 100_000;

/**
 * tc-netem(8). Delay is uniform over delay ± jitter, so packets may overtake each other. Packets are dropped
 * on departure, unnoticed by the sender's TCP.
 */
const netem: QueueDriver = {
  args: ({ lossPercent, delayMs, jitterMs, rateMbit }) => [
    'netem',
    'limit',
    String(netemPackets),
    ...(delayMs > 0 || jitterMs > 0 ? ['delay', `${micro(delayMs)}us`] : []),
    ...(jitterMs > 0 ? [`${micro(jitterMs)}us`] : []),
    ...(lossPercent > 0 ? ['loss', 'random', `${lossPercent}%`] : []),
    ...(rateMbit === null ? [] : ['rate', bitRate(rateMbit)]),
  ],
};

/** Maximum queueing time before packets are dropped, as in home routers. */
const tbfLatencyMs = 200;
/**
 * A burst must have room for the largest packet with its Ethernet header (loopback: 64 KiB), and for 10 ms at
 * the rate.
 */
const headerBytes = 64;
const burstSeconds = 0.01;

/** tc-tbf(8). */
const tbf: QueueDriver = {
  args: ({ rateMbit }, mtuBytes) => {
    const mbit = rateMbit ?? 1;
    const burst = Math.max(mtuBytes + headerBytes, Math.ceil((mbit * 1e6 * burstSeconds) / 8));
    return ['tbf', 'rate', bitRate(mbit), 'burst', `${burst}b`, 'latency', `${tbfLatencyMs}ms`];
  },
};

/** Drivers that are queues, unlike nftables. */
const queueDrivers: Readonly<Partial<Record<ShapingDriver, QueueDriver>>> = { netem, tbf };

function micro(ms: number): number {
  return Math.round(ms * 1_000);
}

function bitRate(mbit: number): string {
  return `${Math.round(mbit * 1e6)}bit`;
}

const qdiscSchema = z.object({
  kind: z.string(),
  handle: z.string(),
  root: z.boolean().default(false),
  bytes: z.number().default(0),
  /** Number of sent packets, without dropped packets. */
  packets: z.number().default(0),
  drops: z.number().default(0),
  overlimits: z.number().default(0),
  qlen: z.number().default(0),
  /** Burst size in bytes; only for tbf. */
  options: z.object({ burst: z.number().default(0) }).default({ burst: 0 }),
});
type Qdisc = z.infer<typeof qdiscSchema>;

/**
 * Parses the output of `tc -s -j qdisc show`; throws if it is invalid. For an interface without queues, the
 * output is empty.
 */
export function parseQdiscs(text: string): Qdisc[] {
  return text.trim() === '' ? [] : z.array(qdiscSchema).parse(JSON.parse(text));
}

/** Prefix of an agent's tables. The process id follows, so that other agents' tables are not removed. */
export const tablePrefix = 'mqttlab_';

/** Resolution of the loss: one millionth. */
const steps = 1_000_000;

/**
 * Returns one nft(8) command, which is executed completely or not at all. Packets are dropped on arrival,
 * after the network card, so that large sends that the kernel passes on as one packet are dropped as one
 * packet.
 */
export function dropCommand(table: string, rules: readonly ShapingRule[], endpoint: Endpoint): string {
  const name = `inet ${table}`;
  return [
    `add table ${name}`,
    `add chain ${name} arriving { type filter hook input priority -150; policy accept; }`,
    ...rules.flatMap(({ flow, lossPercent }, index) => {
      const match = nftMatch(flow, endpoint);
      const share = Math.round((lossPercent / 100) * steps);
      return [
        `add counter ${name} seen${index}`,
        `add counter ${name} dropped${index}`,
        `add rule ${name} arriving ${match} counter name "seen${index}"`,
        `add rule ${name} arriving ${match} numgen random mod ${steps} < ${share} counter name "dropped${index}" drop`,
      ];
    }),
  ].join('; ');
}

interface DropCounters {
  packets: number;
  dropped: number;
  bytes: number;
}

const listingSchema = z.object({
  nftables: z.array(
    z.object({
      counter: z.object({ name: z.string(), packets: z.number(), bytes: z.number() }).optional(),
      rule: z.unknown().optional(),
    }),
  ),
});

/** Returns counters by rule; null if the table or any of its rules is missing. */
export async function readDrops(
  tool: NetworkTool,
  { table, rules }: { table: string; rules: number },
): Promise<DropCounters[] | null> {
  try {
    return parseDrops(await tool('nft', ['-j', 'list', 'table', 'inet', table]), rules);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Parses the output of `nft -j list table`; throws if the output is invalid. */
export function parseDrops(text: string, rules: number): DropCounters[] | null {
  const { nftables } = listingSchema.parse(JSON.parse(text));
  const counters = new Map(nftables.flatMap(({ counter }) => (counter ? [[counter.name, counter]] : [])));
  if (nftables.filter(({ rule }) => rule !== undefined).length < 2 * rules) return null;
  const found = Array.from({ length: rules }, (_, index) => {
    const seen = counters.get(`seen${index}`);
    const dropped = counters.get(`dropped${index}`);
    return seen && dropped
      ? { packets: seen.packets, dropped: dropped.packets, bytes: seen.bytes - dropped.bytes }
      : null;
  });
  return found.every((entry) => entry !== null) ? found : null;
}

/** Removes the table; returns false if it was already missing. */
export async function removeTable(tool: NetworkTool, table: string): Promise<boolean> {
  try {
    await tool('nft', ['delete', 'table', 'inet', table]);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Returns the names of all tables that agents have created on this device. */
export async function listTables(tool: NetworkTool): Promise<string[]> {
  const text = await tool('nft', ['list', 'tables']);
  return [...text.matchAll(/^table inet (mqttlab_\w+)$/gm)].map(([, name = '']) => name);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && /No such file or directory/.test(error.message);
}
