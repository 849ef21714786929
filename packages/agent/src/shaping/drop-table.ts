import type { ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import * as z from 'zod';
import { type Endpoint, type NetworkTool, nftMatch } from './network-tool.ts';

/** Prefix of an agent's tables; the process id follows, so that tables of other agents are not removed. */
export const tablePrefix = 'mqttlab_';

/** Loss in steps of one millionth. */
const steps = 1_000_000;

/**
 * One nft(8) command, executed completely or not at all. Packets are dropped on arrival, after the network card: large
 * sends that the kernel passes on as one packet are dropped as one.
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

export interface DropCounters {
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

/** By rule; null if the table or any of its rules is missing. */
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

/** Parses the output of `nft -j list table`; throws if it is invalid. */
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

/** False if it was missing already. */
export async function removeTable(tool: NetworkTool, table: string): Promise<boolean> {
  try {
    await tool('nft', ['delete', 'table', 'inet', table]);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Names of all tables of agents on this device. */
export async function listTables(tool: NetworkTool): Promise<string[]> {
  const text = await tool('nft', ['list', 'tables']);
  return [...text.matchAll(/^table inet (mqttlab_\w+)$/gm)].map(([, name = '']) => name);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && /No such file or directory/.test(error.message);
}
