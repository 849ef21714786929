import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { TcpFacts } from '@mqttlab/shared/domain/impairment';
import type { NetworkTool } from './network-tool.ts';
import type { Endpoint } from './traffic.ts';

export type TcpConnections = NonNullable<TcpFacts['connections']>;

/** TCP_INFO of every connection to that broker, as ss(8) prints it: of its own ends or of those of the clients. */
export async function readConnections(
  tool: NetworkTool,
  { address, port }: Endpoint,
  side: 'broker' | 'client',
): Promise<TcpConnections> {
  const host = isIPv6(address) ? `[${address}]` : address;
  const text = await tool('ss', ['-tinHO', side === 'broker' ? 'src' : 'dst', '=', `${host}:${port}`]);
  return parseConnections(text);
}

/** Output of `ss -tinHO`: one line for each connection. */
export function parseConnections(text: string): TcpConnections {
  const lines = text.split('\n').filter((line) => /\brtt:/.test(line));
  const valuesOf = (pattern: RegExp): number[] =>
    lines.flatMap((line) => {
      const value = Number(pattern.exec(line)?.[1] ?? Number.NaN);
      return Number.isFinite(value) ? [value] : [];
    });
  const roundTrips = valuesOf(/\brtt:([\d.]+)/).sort((a, b) => a - b);
  const least = valuesOf(/\bminrtt:([\d.]+)/);
  return {
    count: lines.length,
    // "retrans:<now>/<in all>", absent where nothing was ever sent again.
    retransmitted: valuesOf(/\bretrans:\d+\/(\d+)/).reduce((sum, value) => sum + value, 0),
    roundTripMs: roundTrips[Math.floor((roundTrips.length - 1) / 2)] ?? null,
    leastRoundTripMs: least.length === 0 ? null : Math.min(...least),
  };
}

export interface TcpCounters {
  sentSegments: number;
  retransmittedSegments: number;
}

/** Since boot, of this network namespace: "Tcp:" of proc_pid_net(5) snmp. null where the kernel does not tell. */
export function readTcpCounters(procRoot: string): TcpCounters | null {
  try {
    const [names = [], values = []] = readFileSync(join(procRoot, 'self/net/snmp'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('Tcp:'))
      .map((line) => line.split(' '));
    const counterOf = (name: string): number => Number(values[names.indexOf(name)] ?? Number.NaN);
    const counters = {
      sentSegments: counterOf('OutSegs'),
      retransmittedSegments: counterOf('RetransSegs'),
    };
    return Object.values(counters).every(Number.isFinite) ? counters : null;
  } catch {
    return null;
  }
}
