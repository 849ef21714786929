import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** ESTABLISHED in the column "st" of proc_pid_net(5). */
const established = '01';
const mappedPrefix = '0000000000000000FFFF0000';

/**
 * Addresses that hold a connection to this port now, as the kernel of the broker's device sees them: its own word for
 * the way by which clients came. Sorted, each once; empty where the tables cannot be read.
 */
export async function peersOfPort(procRoot: string, port: number): Promise<string[]> {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = ['tcp', 'tcp6'].map((name) => readFile(join(procRoot, 'net', name), 'utf8').catch(() => ''));
  const lines = (await Promise.all(tables)).flatMap((text) => text.split('\n'));
  const peers = lines.flatMap((line) => {
    const [, local, remote, state] = line.trim().split(/\s+/);
    if (state !== established || !local?.endsWith(ending) || remote === undefined) return [];
    return readAddress(remote.split(':')[0] ?? '') ?? [];
  });
  return [...new Set(peers)].sort();
}

/** Groups of 32 bits in hexadecimal, each in the byte order of the machine, which is little endian on all we run on. */
function readAddress(hex: string): string | null {
  const own = hex.startsWith(mappedPrefix) ? hex.slice(mappedPrefix.length) : hex;
  const bytes = (own.match(/.{8}/g) ?? []).flatMap(
    (word) => Buffer.from(word, 'hex').reverse().toJSON().data,
  );
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return null;
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
