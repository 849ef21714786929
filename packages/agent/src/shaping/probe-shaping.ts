import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ShapingCapability, ShapingRule } from '@mqttlab/shared/domain/impairment';
import { readBootId } from '../children/process-identity.ts';
import { reasonOf } from '../run-failure.ts';
import { dropCommand, tablePrefix } from './drop-table.ts';
import type { NetworkTool } from './network-tool.ts';
import { type Classifier, classifiers, queueCommands } from './queue-tree.ts';

export interface ShapingProbe {
  capability: ShapingCapability;
  /** null where no queue works. */
  classifier: Classifier | null;
}

const endpoint = { address: '127.0.0.1', port: 9 };
const mtuBytes = 1_500;
/** Those whose kernel module brings no interfaces of its own along. */
const probeLinkKinds = ['veth', 'bridge', 'dummy'] as const;

/**
 * Tries each driver for real: nft(8) checks in the kernel without carrying out, queues are put on an interface made
 * for that, which carries nothing. Never rejects; leaves nothing behind.
 */
export async function probeShaping(tool: NetworkTool, procRoot: string): Promise<ShapingProbe> {
  const [nftables, queues] = await Promise.all([probeNftables(tool), probeQueues(tool)]);
  return {
    capability: {
      networkStack: readNetworkStack(procRoot),
      refusals: { nftables, netem: queues.netem, tbf: queues.tbf },
    },
    classifier: queues.classifier,
  };
}

/** Boot id and network namespace: agents that share both share their interfaces. */
export function readNetworkStack(procRoot: string): string {
  try {
    return `${readBootId(procRoot)} ${readlinkSync(join(procRoot, 'self/ns/net'))}`;
  } catch {
    return '';
  }
}

async function probeNftables(tool: NetworkTool): Promise<string | null> {
  const rule = ruleOf({ driver: 'nftables', at: 'input', lossPercent: 1 });
  return refusalOf(async () => {
    await tool('nft', ['-c', dropCommand(`${tablePrefix}probe`, [rule], endpoint)]);
    await tool('nft', ['-j', 'list', 'tables']);
  });
}

async function probeQueues(tool: NetworkTool) {
  const interfaceName = `mqlp${process.pid}`;
  const made = await makeLink(tool, interfaceName);
  if (made !== null) return { netem: made, tbf: made, classifier: null };
  try {
    let refusals = { netem: 'no classifier', tbf: 'no classifier' } as Record<'netem' | 'tbf', string | null>;
    for (const classifier of classifiers) {
      const tried = {
        netem: await tryQueue(tool, { interfaceName, classifier, driver: 'netem' }),
        tbf: await tryQueue(tool, { interfaceName, classifier, driver: 'tbf' }),
      };
      if (tried.netem === null || tried.tbf === null) return { ...tried, classifier };
      refusals = tried;
    }
    return { ...refusals, classifier: null };
  } finally {
    await tool('ip', ['link', 'delete', interfaceName]).catch(() => {});
  }
}

/** null when it is there, else why not. */
async function makeLink(tool: NetworkTool, interfaceName: string): Promise<string | null> {
  let refusal: string | null = null;
  for (const kind of probeLinkKinds) {
    const peer = kind === 'veth' ? ['peer', 'name', `${interfaceName}p`] : [];
    refusal = await refusalOf(() => tool('ip', ['link', 'add', interfaceName, 'type', kind, ...peer]));
    if (refusal === null) return null;
  }
  return refusal;
}

interface QueueTrial {
  interfaceName: string;
  classifier: Classifier;
  driver: 'netem' | 'tbf';
}

async function tryQueue(
  tool: NetworkTool,
  { interfaceName, classifier, driver }: QueueTrial,
): Promise<string | null> {
  const asked = driver === 'netem' ? { lossPercent: 1, delayMs: 1 } : { rateMbit: 1 };
  const rules = [ruleOf({ driver, ...asked })];
  const refusal = await refusalOf(async () => {
    for (const args of queueCommands({ interfaceName, mtuBytes, rules, endpoint }, classifier)) {
      await tool('tc', args);
    }
  });
  await tool('tc', ['qdisc', 'del', 'dev', interfaceName, 'root']).catch(() => {});
  return refusal !== null && /qdisc kind is unknown/i.test(refusal)
    ? `the kernel of this device has no ${driver} (or no ${classifier})`
    : refusal;
}

async function refusalOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function ruleOf(change: Partial<ShapingRule> & Pick<ShapingRule, 'driver'>): ShapingRule {
  return {
    flow: 'towards the broker',
    at: 'egress',
    lossPercent: 0,
    delayMs: 0,
    jitterMs: 0,
    rateMbit: null,
    overLink: true,
    overLoopback: false,
    ...change,
  };
}
