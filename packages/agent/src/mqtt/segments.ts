import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 5_000;

/** Of one connection so far, as the kernel counts (TCP_INFO, tcp(7)). */
export interface Segments {
  sent: number;
  received: number;
  retransmitted: number;
  /** Bytes of headers below the payload: Ethernet, IP and TCP with its options. */
  headerBytes: { each: number; syn: number };
}

/** Reads what ss(8) says of all connections to one endpoint, by local port; null where there is no ss. */
export async function readSegments(remotePort: number): Promise<Map<number, Segments> | null> {
  try {
    const args = ['-tinoHO', `dport = :${remotePort}`];
    const { stdout } = await run('ss', args, { timeout: timeoutMs, maxBuffer: 1 << 26 });
    return parseSegments(stdout);
  } catch {
    return null;
  }
}

const ethernetBytes = 14;
const tcpBytes = 20;
/** RFC 7323 section 3: kind, length and two time stamps, padded to four bytes. */
const timestampBytes = 12;

/** Lines of `ss -tinoHO`. */
export function parseSegments(text: string): Map<number, Segments> {
  const found = new Map<number, Segments>();
  for (const line of text.split('\n')) {
    const [, , , local = ''] = line.trim().split(/\s+/);
    const port = Number(local.slice(local.lastIndexOf(':') + 1));
    const numberOf = (name: string) => Number(new RegExp(`\\s${name}:(\\d+)`).exec(line)?.[1] ?? Number.NaN);
    const sent = numberOf('segs_out');
    const received = numberOf('segs_in');
    if (!(port > 0) || Number.isNaN(sent) || Number.isNaN(received)) continue;
    const retransmitted = Number(/\sretrans:\d+\/(\d+)/.exec(line)?.[1] ?? 0);
    found.set(port, { sent, received, retransmitted, headerBytes: headerBytesOf(line, local) });
  }
  return found;
}

/** Options as Linux orders and pads them in SYN: maximum segment size, SACK and time stamps, window scale. */
function headerBytesOf(line: string, local: string): Segments['headerBytes'] {
  const has = (option: RegExp) => option.test(line);
  // An IPv4 address in IPv6 notation travels as IPv4.
  const ipBytes = local.startsWith('[') && !local.startsWith('[::ffff:') ? 40 : 20;
  const stamped = has(/\sts\s/);
  const selective = has(/\ssack\s/);
  const below = ethernetBytes + ipBytes + tcpBytes;
  const synOptions = 4 + (stamped ? timestampBytes : selective ? 4 : 0) + (has(/\swscale:/) ? 4 : 0);
  return { each: below + (stamped ? timestampBytes : 0), syn: below + synOptions };
}
