import type { ShapingRule } from '@mqttlab/shared/domain/impairment';
import type { NetworkTool } from './network-tool.ts';
import { parseQdiscs, type Qdisc } from './parse-qdiscs.ts';
import { queueDrivers } from './queue-driver.ts';
import { type Endpoint, u32Matches } from './traffic.ts';

/** Handles of qdiscs are ours by this number ("MQ"); the kernel and distributions give others. */
const rootHandle = '4d51:';
const firstChild = 0x4d52;
const firstClass = 0x10;

/** What tells the traffic of the Run apart on an interface; everything else passes as if nothing was there. */
export const classifiers = ['htb', 'prio'] as const;
export type Classifier = (typeof classifiers)[number];

/** A queue of htb that holds nothing back itself. */
const unlimited = ['rate', '10gbit', 'quantum', '60000'];
/** prio sends all unmatched traffic, whatever its TOS, to its first band; the others are for rules. */
const prioRoot = ['prio', 'bands', '9', 'priomap', ...Array.from({ length: 16 }, () => '0')];

export interface QueueTree {
  interfaceName: string;
  mtuBytes: number;
  rules: readonly ShapingRule[];
  endpoint: Endpoint;
}

/** Every `tc` command that puts a tree on, in their order. */
export function queueCommands(tree: QueueTree, classifier: Classifier): string[][] {
  const { interfaceName, mtuBytes, rules, endpoint } = tree;
  const dev = ['dev', interfaceName];
  const root = classifier === 'htb' ? ['htb', 'default', '0'] : prioRoot;
  return [
    ['qdisc', 'add', ...dev, 'root', 'handle', rootHandle, ...root],
    ...rules.flatMap((rule, index) => {
      const parent = classOf(classifier, index);
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
          childHandle(index),
          ...driver.args(rule, mtuBytes),
        ],
        ...u32Matches(rule.flow, endpoint).map((match) => [
          ...['filter', 'add', ...dev, 'parent', rootHandle, ...match, 'flowid', parent],
        ]),
      ];
    }),
  ];
}

/** Takes our tree off; nothing where there is none, and nobody else's. Rejects when it cannot. */
export async function removeQueues(tool: NetworkTool, interfaceName: string): Promise<boolean> {
  const isOurs = (await readQueues(tool, interfaceName)).some(isOurRoot);
  if (isOurs) await tool('tc', ['qdisc', 'del', 'dev', interfaceName, 'root', 'handle', rootHandle]);
  return isOurs;
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
export function findQueue(qdiscs: readonly Qdisc[], index: number, kind: string): Qdisc | undefined {
  const isThere = qdiscs.some(isOurRoot);
  const found = qdiscs.find(({ handle }) => handle === childHandle(index));
  return isThere && found?.kind === kind ? found : undefined;
}

/** Somebody else has put a queue of their own on: it is not ours to replace. */
export function findForeignRoot(qdiscs: readonly Qdisc[]): Qdisc | undefined {
  return qdiscs.find(({ root, handle }) => root && handle !== '0:' && handle !== rootHandle);
}

function isOurRoot({ root, handle }: Qdisc): boolean {
  return root && handle === rootHandle;
}

function classOf(classifier: Classifier, index: number): string {
  // Classes of prio are its bands, counted from 1.
  const minor = classifier === 'htb' ? firstClass + index : 2 + index;
  return `${rootHandle}${minor.toString(16)}`;
}

function childHandle(index: number): string {
  return `${(firstChild + index).toString(16)}:`;
}
