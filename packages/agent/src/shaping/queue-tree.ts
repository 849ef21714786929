import { randomInt } from 'node:crypto';
import type { ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import type { NetworkTool } from './network-tool.ts';
import { parseQdiscs, type Qdisc } from './parse-qdiscs.ts';
import { queueDrivers } from './queue-driver.ts';
import { type Endpoint, u32Matches } from './traffic.ts';

/** Of the root; those of the queues below it follow. Several agents share a host, so each takes one of its own. */
export type QueueHandle = number;

/** That of every agent before each had one of its own. */
export const commonHandle: QueueHandle = 0x4d51;
const firstClass = 0x10;
/** The kernel itself gives 8000 and more; each tree has room for fifteen queues. */
const [minHandle, handles, handleStep] = [0x1000, 0x6ff, 0x10];

/** By chance among 1,791: known again from the note on disk, never from its number. */
export function chooseHandle(): QueueHandle {
  return minHandle + randomInt(handles) * handleStep;
}

/** What tells the traffic of the Run apart on an interface; everything else passes as if nothing was there. */
export const classifiers = ['htb', 'prio'] as const;
export type Classifier = (typeof classifiers)[number];

/** A queue of htb that holds nothing back itself. */
const unlimited = ['rate', '10gbit', 'quantum', '60000'];
/** prio sends all unmatched traffic, whatever its TOS, to its first band; the others are for rules. */
const prioRoot = ['prio', 'bands', '9', 'priomap', ...Array.from({ length: 16 }, () => '0')];

export interface QueueTree {
  interfaceName: string;
  handle: QueueHandle;
  mtuBytes: number;
  rules: readonly ShapingRule[];
  endpoint: Endpoint;
}

/** Every `tc` command that puts a tree on, in their order. */
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
      if (driver === undefined) throw new Error(`${rule.driver} is no queue`);
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

/** Takes the tree of this handle off; nothing where there is none, and nobody else's. Rejects when it cannot. */
export async function removeQueues(
  tool: NetworkTool,
  interfaceName: string,
  handle: QueueHandle,
): Promise<boolean> {
  const isThere = hasRoot(await readQueues(tool, interfaceName), handle);
  if (isThere) await tool('tc', ['qdisc', 'del', 'dev', interfaceName, 'root', 'handle', written(handle)]);
  return isThere;
}

/** Empty where the interface is gone. */
export async function readQueues(tool: NetworkTool, interfaceName: string): Promise<Qdisc[]> {
  try {
    return parseQdiscs(await tool('tc', ['-s', '-j', 'qdisc', 'show', 'dev', interfaceName]));
  } catch (error) {
    if (error instanceof Error && /Cannot find device/.test(error.message)) return [];
    throw error;
  }
}

/** Of the rule at `index`; undefined where it is gone, or the tree above it. */
export function findQueue(
  qdiscs: readonly Qdisc[],
  { handle, index, kind }: { handle: QueueHandle; index: number; kind: string },
): Qdisc | undefined {
  const found = qdiscs.find((qdisc) => qdisc.handle === childHandle(handle, index));
  return hasRoot(qdiscs, handle) && found?.kind === kind ? found : undefined;
}

/** Somebody has put a queue of their own on, another agent maybe: it is not ours to replace. */
export function findForeignRoot(qdiscs: readonly Qdisc[]): Qdisc | undefined {
  return qdiscs.find(({ root, handle }) => root && handle !== '0:');
}

function hasRoot(qdiscs: readonly Qdisc[], handle: QueueHandle): boolean {
  return qdiscs.some((qdisc) => qdisc.root && qdisc.handle === written(handle));
}

/** Classes of prio are its bands, counted from 1. */
function classMinor(classifier: Classifier, index: number): string {
  return (classifier === 'htb' ? firstClass + index : 2 + index).toString(16);
}

function childHandle(handle: QueueHandle, index: number): string {
  return written(handle + 1 + index);
}

function written(handle: QueueHandle): string {
  return `${handle.toString(16)}:`;
}
