import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';

/** As proc_pid_net(5) has it: a connection that is being made or closed is none. */
const established = '01';
/** The first twelve bytes of an IPv4 address in IPv6 notation. */
const mappedPrefix = '00000000000000000000ffff';

/** Where a connection begins on this device. */
export interface LocalEnd {
  address: string;
  port: number;
}

/** Local ends of the TCP connections of a process to a remote port; empty where that cannot be read. */
export function localEndsOf(procRoot: string, pid: number, remotePort: number): LocalEnd[] {
  try {
    const folder = join(procRoot, String(pid), 'fd');
    const open = new Set(readdirSync(folder).map((name) => targetOf(join(folder, name))));
    return ['tcp', 'tcp6'].flatMap((table) =>
      readFileSync(join(procRoot, String(pid), 'net', table), 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(
          ([, , remote, state, , , , , , inode]) =>
            portOf(remote) === remotePort && state === established && open.has(`socket:[${inode}]`),
        )
        .map(([, local]) => ({ address: addressOf(local), port: portOf(local) })),
    );
  } catch {
    return [];
  }
}

/** null: closed since the folder was listed. */
function targetOf(descriptor: string): string | null {
  try {
    return readlinkSync(descriptor);
  } catch {
    return null;
  }
}

/** Behind the colon, hexadecimal (proc_pid_net(5)). */
function portOf(end: string | undefined): number {
  return Number.parseInt(end?.split(':')[1] ?? '', 16);
}

/** Before the colon: words of 32 bits as the kernel holds them, so that their bytes stand in its own order. */
function addressOf(end: string | undefined): string {
  const words = (end?.split(':')[0] ?? '').match(/.{8}/g) ?? [];
  const bytes = Buffer.from(words.join(''), 'hex');
  if (endianness() === 'LE') bytes.swap32();
  const hex = bytes.toString('hex');
  if (bytes.length === 4) return bytes.join('.');
  if (hex.startsWith(mappedPrefix)) return bytes.subarray(12).join('.');
  // As everything else writes it: shortened (RFC 5952).
  const groups = hex.match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
