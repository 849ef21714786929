import { isIPv6 } from 'node:net';
import type { PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { Requests } from '@mqttlab/shared/kit/requests';
import type { WireBytes } from '../mqtt/connection-source.ts';
import type { ChildRecords } from '../processes/child-records.ts';
import { findDeathSignalCommand } from '../processes/programs.ts';
import { ClosedConnections } from '../shaping/tcp-state.ts';

const killAfterMs = 500;
const answerMs = 3_000;
/** Printed after each report. */
const markEnd = 'mark\n';

interface ConnectionBytesOptions {
  broker: { address: string; port: number };
  records: ChildRecords;
}

/**
 * Counts the TCP payload of connections of other programs, as reported by the kernel through ss(8). A shell started
 * before the load runs ss for each line it reads, because starting a program from here takes 10 ms.
 */
export class ConnectionBytes {
  readonly #closed: ClosedConnections;
  readonly #options: ConnectionBytesOptions;
  #inspector: ManagedChild | null = null;
  /** By number, from 1 on. */
  readonly #marks = new Requests<number, string>();
  #markCount = 0;
  readonly #reports: string[] = [];
  /** Output of the incomplete report. */
  #printed = '';
  #ended = false;

  constructor(options: ConnectionBytesOptions) {
    this.#options = options;
    this.#closed = new ClosedConnections(options.broker, options.records);
  }

  /** Call before any client connects. Never rejects. */
  async start(): Promise<void> {
    const { broker, records } = this.#options;
    const host = isIPv6(broker.address) ? `[${broker.address}]` : broker.address;
    const script = `while read -r _; do ss -tinHO dst = '${host}:${broker.port}'; echo mark; done`;
    const [command = 'sh', ...before] = [...(await findDeathSignalCommand()), 'sh'];
    const inspector = new ManagedChild({
      command,
      args: [...before, '-c', script],
      environment: { LC_ALL: 'C', PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}` },
      inputDescriptor: 0,
      stdout: 'stream',
      killAfterMs,
      records,
    });
    inspector.start();
    inspector.output.on('data', (chunk: Buffer) => this.#read(chunk));
    const end = (): void => {
      this.#ended = true;
      this.#marks.rejectAll(new Error('the shell has ended'));
    };
    inspector.exit.then(end, end);
    this.#inspector = inspector;
    await this.#closed.start();
  }

  /**
   * Records the kernel's counters when a phase begins or the last one ends. Resolves when the shell has reported them,
   * and those of all earlier marks, or after a timeout. Never rejects.
   */
  async mark(): Promise<void> {
    if (this.#ended) return;
    this.#markCount += 1;
    const send = () => void this.#inspector?.input.write('\n');
    const timeout = { ms: answerMs, late: () => new Error('the shell does not answer') };
    // Without its report, the bytes of the phase are unknown.
    await this.#marks.ask(this.#markCount, { send, timeout }).catch(() => {});
  }

  /**
   * Fills in the bytes of the phases after the connections are closed; each phase began with a mark. `measuredPorts`:
   * ports of connections made for one message. Never rejects.
   */
  async finish(
    phases: readonly PhaseRecord[],
    { ports, measuredPorts }: { ports: readonly number[]; measuredPorts: readonly number[] },
  ): Promise<{ phases: PhaseRecord[]; facts: RoleResult['environment']; measured: WireBytes | null }> {
    await this.#inspector?.stop();
    const reports = this.#reports.map((text) => sumBytes(text, ports));
    const closed = await this.#closed.stop();
    const all = sumBytes(closed, ports);
    return {
      measured: sumBytes(closed, measuredPorts),
      phases: phases.map((phase, index) => ({ ...phase, ...between(reports[index], reports[index + 1]) })),
      facts:
        all === null ? {} : { 'connections.bytesSent': all.sent, 'connections.bytesReceived': all.received },
    };
  }

  #read(chunk: Buffer): void {
    const texts = `${this.#printed}${chunk.toString('latin1')}`.split(markEnd);
    this.#printed = texts.pop() ?? '';
    for (const text of texts) this.#marks.resolve(this.#reports.push(text), text);
  }
}

function between(
  before: WireBytes | null | undefined,
  after: WireBytes | null | undefined,
): Pick<PhaseRecord, 'bytesSent' | 'bytesReceived'> {
  if (!before || !after) return { bytesSent: null, bytesReceived: null };
  return { bytesSent: after.sent - before.sent, bytesReceived: after.received - before.received };
}

/** Sums lines of `ss -tinHO`; null if a connection is missing. A received FIN counts as one byte. */
function sumBytes(text: string, ports: readonly number[]): WireBytes | null {
  const found = new Map<number, WireBytes>();
  for (const line of text.split('\n')) {
    const local = line.trim().split(/\s+/)[3] ?? '';
    const numberOf = (name: string) => Number(new RegExp(`\\s${name}:(\\d+)`).exec(line)?.[1] ?? 0);
    // Retransmitted bytes are counted twice.
    const sent = numberOf('bytes_sent') - numberOf('bytes_retrans');
    const port = Number(local.slice(local.lastIndexOf(':') + 1));
    if (sent > 0) found.set(port, { sent, received: numberOf('bytes_received') });
  }
  const wanted = ports.flatMap((port) => found.get(port) ?? []);
  if (ports.length === 0 || wanted.length < ports.length) return null;
  return {
    sent: wanted.reduce((sum, { sent }) => sum + sent, 0),
    received: wanted.reduce((sum, { received }) => sum + received, 0),
  };
}
