import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { TcpFacts } from '@mqttlab/shared/domain/plans/impairment';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { poll } from '@mqttlab/shared/kit/poll';
import type { ChildRecords } from '../processes/child-records.ts';
import { findDeathSignalCommand } from '../processes/programs.ts';
import type { Endpoint, NetworkTool } from './network-tool.ts';

type TcpConnections = NonNullable<TcpFacts['connections']>;

/**
 * Returns the TCP_INFO of every open connection to that broker from ss(8), on the broker's or clients' side.
 */
export async function readConnections(
  tool: NetworkTool,
  { address, port }: Endpoint,
  side: 'broker' | 'client',
): Promise<string> {
  const host = isIPv6(address) ? `[${address}]` : address;
  return await tool('ss', ['-tinHO', side === 'broker' ? 'src' : 'dst', '=', `${host}:${port}`]);
}

interface ConnectionLines {
  /** Output of `ss -tinHO`: one line for each connection. */
  open: string;
  /** The same for closed connections, which may include connections that were open before. */
  closed?: string;
  /** Local ports of the connections to count, if other roles on this device have the same peer. */
  ports?: readonly number[];
}

/** Returns the totals over all connections, from the kernel. */
export function parseConnections({ open, closed = '', ports }: ConnectionLines): TcpConnections {
  const linesOf = (text: string) => text.split('\n').filter((line) => /\brtt:/.test(line));
  const gone = linesOf(closed);
  const gonePorts = new Set(gone.map(localPortOf));
  const wanted = ports && new Set(ports);
  const lines = [...gone, ...linesOf(open).filter((line) => !gonePorts.has(localPortOf(line)))].filter(
    (line) => wanted === undefined || wanted.has(localPortOf(line)),
  );
  const seen = new Set(lines.map(localPortOf));
  const isComplete = ports === undefined || ports.every((port) => seen.has(port));
  const valuesOf = (pattern: RegExp): number[] =>
    lines.flatMap((line) => {
      const value = Number(pattern.exec(line)?.[1] ?? Number.NaN);
      return Number.isFinite(value) ? [value] : [];
    });
  const roundTrips = valuesOf(/\brtt:([\d.]+)/).sort((a, b) => a - b);
  const least = valuesOf(/\bminrtt:([\d.]+)/);
  return {
    count: lines.length,
    // Format: "retrans:<now>/<total>", absent without retransmissions.
    retransmitted: isComplete
      ? valuesOf(/\bretrans:\d+\/(\d+)/).reduce((sum, value) => sum + value, 0)
      : null,
    roundTripMs: roundTrips[Math.floor((roundTrips.length - 1) / 2)] ?? null,
    leastRoundTripMs: least.length === 0 ? null : Math.min(...least),
  };
}

/** Returns the local port from the columns state, queues and local end. */
function localPortOf(line: string): number {
  const local = line.trim().split(/\s+/)[3] ?? '';
  return Number(local.slice(local.lastIndexOf(':') + 1));
}

export interface TcpCounters {
  sentSegments: number;
  retransmittedSegments: number;
}

/**
 * Returns the counters since boot for this network namespace: "Tcp:" in proc_pid_net(5) snmp; null if the
 * kernel does not report them.
 */
export function readTcpCounters(procRoot: string): TcpCounters | null {
  try {
    const [names = [], values = []] = readFileSync(join(procRoot, 'self/net/snmp'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('Tcp:'))
      .map((line) => line.split(' '));
    const counterOf = (name: string): number => Number(values[names.indexOf(name)] ?? Number.NaN);
    const counters = { sentSegments: counterOf('OutSegs'), retransmittedSegments: counterOf('RetransSegs') };
    return Object.values(counters).every(Number.isFinite) ? counters : null;
  } catch {
    return null;
  }
}

/** Time after which ss(8) is assumed to be unable to listen. */
const listenTimeoutMs = 5_000;
const checkEveryMs = 10;
/** Time to wait for the lines about the last closed connections. */
const lastWordMs = 200;
const killAfterMs = 500;

/** NETLINK_SOCK_DIAG of linux/netlink.h. */
const socketDiagnostics = '4';

/**
 * Returns true if the process receives events about closed sockets, that is, if it has a netlink socket with
 * groups in net/netlink (proc(5)).
 */
function listensToSockets(pid: number | null): boolean {
  const sockets = readFileSync('/proc/net/netlink', 'utf8').split('\n');
  return sockets.some((line) => {
    const [, protocol, owner, groups] = line.trim().split(/\s+/);
    return protocol === socketDiagnostics && Number(owner) === pid && Number.parseInt(groups ?? '', 16) > 0;
  });
}

/**
 * Collects the TCP_INFO of every connection to one endpoint when the kernel drops the connection
 * (sock_diag(7)), from ss(8). Retransmissions of closed connections are not available elsewhere.
 */
export class ClosedConnections {
  readonly #endpoint: Endpoint;
  readonly #records: ChildRecords;
  #child: ManagedChild | null = null;
  #isStopped = false;
  #text = '';

  constructor(endpoint: Endpoint, records: ChildRecords) {
    this.#endpoint = endpoint;
    this.#records = records;
  }

  /** Resolves when ss(8) is listening; without ss(8), nothing is reported. Never rejects. */
  async start(): Promise<void> {
    const { address, port } = this.#endpoint;
    const host = isIPv6(address) ? `[${address}]` : address;
    // The process ends with the agent. If the agent exits before that takes effect, its successor ends the
    // process that is recorded.
    const [command = 'stdbuf', ...before] = [...(await findDeathSignalCommand()), 'stdbuf'];
    // The run was abandoned in the meantime.
    if (this.#isStopped) return;
    const child = new ManagedChild({
      command,
      args: [...before, '-oL', 'ss', '-EtinHO', 'dst', '=', `${host}:${port}`],
      environment: { LC_ALL: 'C', PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}` },
      onLine: (line) => {
        this.#text += `${line}\n`;
      },
      killAfterMs,
      records: this.#records,
    });
    child.start();
    this.#child = child;
    let hasEnded = false;
    child.exit.finally(() => (hasEnded = true)).catch(() => {});
    await poll(() => hasEnded || this.#isStopped || listensToSockets(child.pid), {
      everyMs: checkEveryMs,
      timeoutMs: listenTimeoutMs,
    });
  }

  /** Returns lines in the format of `ss -tinHO`, one per closed connection. Idempotent. */
  async stop(): Promise<string> {
    this.#isStopped = true;
    const child = this.#child;
    this.#child = null;
    if (child !== null) {
      await new Promise((resolve) => setTimeout(resolve, lastWordMs));
      await child.stop();
    }
    return this.#text;
  }
}
