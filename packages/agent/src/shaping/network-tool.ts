import { isIPv6 } from 'node:net';
import type { Flow } from '@mqttlab/shared/domain/plans/impairment';
import { systemCodeOf } from '@mqttlab/shared/domain/runs/system-failure';
import { ask } from '../processes/programs.ts';

/** Runs a tool and resolves with its output; rejects with an Error that contains the tool's message. */
export type NetworkTool = (
  program: 'ip' | 'nft' | 'ss' | 'tc' | 'unshare',
  args: readonly string[],
) => Promise<string>;

const packages = {
  ip: 'iproute2',
  nft: 'nftables',
  ss: 'iproute2',
  tc: 'iproute2',
  unshare: 'util-linux',
} as const;
const timeoutMs = 5_000;

/**
 * The PATH of users without privileges does not contain /usr/sbin; the tools still work with CAP_NET_ADMIN.
 */
export const runNetworkTool: NetworkTool = async (program, args) => {
  const env = { ...process.env, LC_ALL: 'C', PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}` };
  const { stdout, stderr, error } = await ask(program, args, timeoutMs, env);
  if (error !== null) throw new Error(reasonOfTool(program, error, stderr), { cause: error });
  return stdout;
};

function reasonOfTool(program: keyof typeof packages, error: Error, stderr: string): string {
  if (systemCodeOf(error) === 'ENOENT')
    return `${program} is not installed (Debian package ${packages[program]})`;
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(Error|RTNETLINK answers): /, '').trim())
    .filter((line) => line !== '' && !/^\^|^We have an error/.test(line));
  const words = lines.slice(0, 2).join('; ') || error.message;
  if (/not permitted|permission denied/i.test(words)) return 'the agent lacks CAP_NET_ADMIN';
  return `${program}: ${words}`;
}

/** The broker of one run: only traffic to and from this address and port is affected. */
export interface Endpoint {
  address: string;
  port: number;
}

/** IP protocol numbers: TCP, and UDP for CoAP. */
const transports = ['6', '17'] as const;

/**
 * Returns filters for tc-u32(8) that select one direction; they require IP headers without options, which is
 * the case for these packets.
 */
export function u32Matches(flow: Flow, { address, port }: Endpoint): string[][] {
  const isNew = isIPv6(address);
  const [ip, bits] = isNew ? ['ip6', 128] : ['ip', 32];
  const [where, portName] = flow === 'towards the broker' ? ['dst', 'dport'] : ['src', 'sport'];
  return transports.map((transport) => [
    'protocol',
    isNew ? 'ipv6' : 'ip',
    'prio',
    isNew ? '2' : '1',
    'u32',
    'match',
    ip,
    'protocol',
    transport,
    '0xff',
    'match',
    ip,
    where,
    `${address}/${bits}`,
    'match',
    ip,
    portName,
    String(port),
    '0xffff',
  ]);
}

/** Returns the same filters for nft(8). */
export function nftMatch(flow: Flow, { address, port }: Endpoint): string {
  const ip = isIPv6(address) ? 'ip6' : 'ip';
  const [where, portName] = flow === 'towards the broker' ? ['daddr', 'dport'] : ['saddr', 'sport'];
  return `${ip} ${where} ${address} meta l4proto { tcp, udp } th ${portName} ${port}`;
}
