import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { poll } from '@mqttlab/shared/kit/poll';

/** One end of a connection. */
export interface SocketEnd {
  address: string;
  port: number;
}

interface TableRow {
  local: SocketEnd;
  remote: SocketEnd;
  /** Column "st" of proc_pid_net(5). */
  state: string;
  /** As the links of /proc/<pid>/fd name it. */
  socket: string;
}

const established = '01';
const listening = '0A';
/** The first twelve bytes of an IPv4 address in IPv6 notation. */
const mappedPrefix = '00000000000000000000ffff';

/** Local ends of the TCP connections of a process to a remote port; empty where that cannot be read. */
export function localEndsOf(procRoot: string, pid: number, remotePort: number): SocketEnd[] {
  const open = socketsOf(procRoot, pid);
  const rows = readTables(join(procRoot, String(pid), 'net'), (_local, remote) => remote === remotePort);
  return rows
    .filter(({ state, socket }) => state === established && open.has(socket))
    .map(({ local }) => local);
}

/**
 * Addresses that hold a connection to this port now, as the kernel of the broker's device sees them: its own word for
 * the way by which clients came. Sorted, each once; empty where the tables cannot be read.
 */
export function peersOfPort(procRoot: string, port: number): string[] {
  const rows = readTables(join(procRoot, 'net'), (local) => local === port);
  const peers = rows.filter(({ state }) => state === established).map(({ remote }) => remote.address);
  return [...new Set(peers)].sort();
}

/** Whether that process listens on the port; false as well where its descriptors may not be read. */
export function isListening(pid: number, port: number): boolean {
  const rows = readTables('/proc/net', (local) => local === port).filter(({ state }) => state === listening);
  if (rows.length === 0) return false;
  const open = socketsOf('/proc', pid);
  return rows.some(({ socket }) => open.has(socket));
}

const pollMs = 3;

/**
 * Resolves true when that very process listens on the port, false when `signal` aborts first.
 * The kernel's tables are read instead of connecting, so that nobody else's listener is mistaken for ours
 * and the broker's log holds no stray connection.
 */
export async function waitForListener(pid: number, port: number, signal: AbortSignal): Promise<boolean> {
  return await poll(() => isListening(pid, port), { everyMs: pollMs, signal });
}

/** Rows of the tables for IPv4 and IPv6 whose ports are wanted. */
function readTables(folder: string, isWanted: (local: number, remote: number) => boolean): TableRow[] {
  return ['tcp', 'tcp6'].flatMap((table) =>
    readOr('', () => readFileSync(join(folder, table), 'utf8'))
      .split('\n')
      .flatMap((line) => {
        const [, local = '', remote = '', state = '', , , , , , inode] = line.trim().split(/\s+/);
        if (!isWanted(portOf(local), portOf(remote))) return [];
        return [{ local: endOf(local), remote: endOf(remote), state, socket: `socket:[${inode}]` }];
      }),
  );
}

/** Targets of its descriptors; empty where they may not be read. */
function socketsOf(procRoot: string, pid: number): Set<string | null> {
  const folder = join(procRoot, String(pid), 'fd');
  const names = readOr([], () => readdirSync(folder));
  // null: closed since the folder was listed.
  return new Set(names.map((name) => readOr(null, () => readlinkSync(join(folder, name)))));
}

function endOf(text: string): SocketEnd {
  return { address: addressOf(text), port: portOf(text) };
}

/** Behind the colon, hexadecimal (proc_pid_net(5)); NaN in the line of headings. */
function portOf(end: string): number {
  return Number.parseInt(end.split(':')[1] ?? '', 16);
}

/** Before the colon: words of 32 bits as the kernel holds them, so that their bytes stand in its own order. */
function addressOf(end: string): string {
  const bytes = Buffer.from(end.split(':')[0] ?? '', 'hex');
  if (endianness() === 'LE') bytes.swap32();
  const hex = bytes.toString('hex');
  if (bytes.length === 4) return bytes.join('.');
  if (hex.startsWith(mappedPrefix)) return bytes.subarray(12).join('.');
  // As everything else writes it: shortened (RFC 5952).
  const groups = hex.match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
