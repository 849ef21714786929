import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** As proc_pid_net(5) has it: a connection that is being made or closed is none. */
const established = '01';

/** Local ports of the TCP connections of a process to a remote port; empty where that cannot be read. */
export function localPortsOf(procRoot: string, pid: number, remotePort: number): number[] {
  try {
    const folder = join(procRoot, String(pid), 'fd');
    const open = new Set(readdirSync(folder).map((name) => readlinkSync(join(folder, name))));
    return ['tcp', 'tcp6'].flatMap((table) =>
      readFileSync(join(procRoot, String(pid), 'net', table), 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(
          ([, , remote, state, , , , , , inode]) =>
            portOf(remote) === remotePort && state === established && open.has(`socket:[${inode}]`),
        )
        .map(([, local]) => portOf(local)),
    );
  } catch {
    return [];
  }
}

/** Behind the colon, hexadecimal (proc_pid_net(5)). */
function portOf(end: string | undefined): number {
  return Number.parseInt(end?.split(':')[1] ?? '', 16);
}
