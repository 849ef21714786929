import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ShapingCapability, ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { identifyProcess, readBootId } from '../processes/child-records.ts';
import {
  type Classifier,
  chooseHandle,
  classifiers,
  dropCommand,
  queueCommands,
  tablePrefix,
} from './kernel-rules.ts';
import type { NetworkTool } from './network-tool.ts';

export interface ShapingProbe {
  capability: ShapingCapability;
  /** Queue that can classify packets on this device; null if none works. */
  classifier: Classifier | null;
}

const endpoint = { address: '127.0.0.1', port: 9 };
const mtuBytes = 1_500;
/** Drivers whose kernel module does not add interfaces. */
const probeLinkKinds = ['veth', 'bridge', 'dummy'] as const;

/**
 * Tests each driver. For nft(8), the kernel checks the rules without applying them; queues are added to an
 * interface without traffic. Never rejects; leaves nothing behind.
 */
export async function probeShaping(tool: NetworkTool, procRoot: string): Promise<ShapingProbe> {
  const [nftables, queues] = await Promise.all([probeNftables(tool), probeQueues(tool, procRoot)]);
  return {
    capability: {
      networkStack: readNetworkStack(procRoot),
      refusals: { nftables, netem: queues.netem, tbf: queues.tbf },
    },
    classifier: queues.classifier,
  };
}

/** Returns the boot id and the network namespace. Agents that have both in common share their interfaces. */
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

/**
 * Runs tc commands on an interface without traffic and then removes the queues; rejects with the tool's
 * error.
 */
type Sandbox = {
  interfaceName: string;
  run(commands: readonly string[][]): Promise<void>;
  close(): Promise<void>;
};

async function probeQueues(tool: NetworkTool, procRoot: string) {
  const sandbox = (await openNamespace(tool)) ?? (await openLink(tool, procRoot));
  if (typeof sandbox === 'string') return { netem: sandbox, tbf: sandbox, classifier: null };
  try {
    let refusals = { netem: 'no classifier', tbf: 'no classifier' } as Record<'netem' | 'tbf', string | null>;
    for (const classifier of classifiers) {
      const tried = {
        netem: await tryQueue(sandbox, classifier, 'netem'),
        tbf: await tryQueue(sandbox, classifier, 'tbf'),
      };
      if (tried.netem === null || tried.tbf === null) return { ...tried, classifier };
      refusals = tried;
    }
    return { ...refusals, classifier: null };
  } finally {
    await sandbox.close();
  }
}

/**
 * Returns the loopback interface of a network namespace that exists for one command, if the agent is root;
 * null without permission. Browsers on this machine abort their downloads when interfaces appear or
 * disappear, so this method is preferred.
 */
async function openNamespace(tool: NetworkTool): Promise<Sandbox | null> {
  if ((await refusalOf(() => tool('unshare', ['--net', 'true']))) !== null) return null;
  return {
    interfaceName: 'lo',
    async run(commands) {
      const script = commands.map((args) => ['tc', ...args].join(' ')).join(' && ');
      await tool('unshare', ['--net', 'sh', '-c', script]);
    },
    close: async () => {},
  };
}

/** Creates a dedicated interface on the device, or returns the reason why this is not possible. */
async function openLink(tool: NetworkTool, procRoot: string): Promise<Sandbox | string> {
  await removeStale(tool, procRoot);
  const interfaceName = `mqlp${process.pid}`;
  const refusal = await makeLink(tool, interfaceName);
  if (refusal !== null) return refusal;
  return {
    interfaceName,
    async run(commands) {
      try {
        for (const args of commands) await tool('tc', args);
      } finally {
        await tool('tc', ['qdisc', 'del', 'dev', interfaceName, 'root']).catch(() => {});
      }
    },
    async close() {
      await tool('ip', ['link', 'delete', interfaceName]).catch(() => {});
    },
  };
}

/** Removes interfaces left by agents that were killed during the test. */
async function removeStale(tool: NetworkTool, procRoot: string): Promise<void> {
  const links = await tool('ip', ['-o', 'link']).catch(() => '');
  for (const [, pid = '0'] of links.matchAll(/ mqlp(\d+)[@:]/g)) {
    if (identifyProcess(procRoot, Number(pid)) !== null) continue;
    await tool('ip', ['link', 'delete', `mqlp${pid}`]).catch(() => {});
  }
}

/** Returns null if the driver works, otherwise the reason. */
async function makeLink(tool: NetworkTool, interfaceName: string): Promise<string | null> {
  let refusal: string | null = null;
  for (const kind of probeLinkKinds) {
    const peer = kind === 'veth' ? ['peer', 'name', `${interfaceName}p`] : [];
    refusal = await refusalOf(() => tool('ip', ['link', 'add', interfaceName, 'type', kind, ...peer]));
    if (refusal === null) return null;
  }
  return refusal;
}

async function tryQueue(
  { interfaceName, run }: Sandbox,
  classifier: Classifier,
  driver: 'netem' | 'tbf',
): Promise<string | null> {
  const asked = driver === 'netem' ? { lossPercent: 1, delayMs: 1 } : { rateMbit: 1 };
  const rules = [ruleOf({ driver, ...asked })];
  const commands = queueCommands(
    { interfaceName, handle: chooseHandle(), mtuBytes, rules, endpoint },
    classifier,
  );
  const refusal = await refusalOf(() => run(commands));
  return refusal !== null && /qdisc kind is unknown/i.test(refusal)
    ? `not in this kernel (or no ${classifier})`
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
