import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A TCP port that nobody uses on that address right now; throws the system's error when the address is not ours. */
export async function pickFreePort(address: string): Promise<number> {
  const server = createServer();
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error(`No port on ${address}`);
  return bound.port;
}

const pollMs = 3;

/**
 * Resolves true when that very process listens on the port, false when `signal` aborts first.
 * The kernel's tables are read instead of connecting, so that nobody else's listener is mistaken for ours
 * and the broker's log holds no stray connection.
 */
export async function waitForListener(pid: number, port: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isListening(pid, port)) return true;
    await wait(pollMs);
  }
  return false;
}

/** Whether that process listens on the port; false as well where its descriptors may not be read. */
export async function isListening(pid: number, port: number): Promise<boolean> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return false;
  try {
    const folder = `/proc/${pid}/fd`;
    const links = await Promise.all((await readdir(folder)).map((name) => readlink(`${folder}/${name}`)));
    return links.some((link) => inodes.has(link));
  } catch {
    // The process or one of its descriptors went away between two reads.
    return false;
  }
}

/** As the links of /proc/<pid>/fd name them: "socket:[12345]". Columns as in proc_pid_net(5). */
async function listeningInodes(port: number): Promise<Set<string>> {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n')) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && local?.endsWith(ending)) inodes.add(`socket:[${inode}]`);
    }
  }
  return inodes;
}
