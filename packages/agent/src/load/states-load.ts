import { setTimeout as wait } from 'node:timers/promises';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import { waitAtMost, within } from '@mqttlab/shared/kit/waiting';
import { AcknowledgementWriter } from '../mqtt/acknowledgements.ts';
import { type Connection, ignoreLoss, type Traffic } from '../mqtt/connection.ts';
import { eachLimited } from '../mqtt/connection-source.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import { encodeEmptyPublish } from '../mqtt/packets.ts';
import { loadFailure } from '../processes/failures.ts';
import { ask } from '../processes/programs.ts';
import { certificateBytesOf } from '../tls/negotiated.ts';
import { ConnectingLoad } from './connecting-load.ts';
import { openTimed } from './counting/connection-meter.ts';
import type { LoadPhase } from './pacing/timeline.ts';
import type { LoadFigures } from './role-load.ts';
import type { LoadSnapshot } from './worker-messages.ts';

/** Maximum number of parallel connections, one third for each state after CON. */
const batch = 30;
const lanes = 10;
/** Longer than the longest delay of an acknowledgement (TCP_DELACK_MAX in Linux), so that none is missed. */
const settleMs = 300;
const closeTimeoutMs = 2_000;

const targets = ['SUB', 'PUB', 'DISC'] as const;

interface Probe {
  target: (typeof targets)[number];
  connection: Connection;
  exchange: StateExchange;
  /** Resolved when the broker has closed its half. */
  halfClosed: Promise<void>;
  connected: Reading;
}

/**
 * Counts the bytes to reach each state of a connection: CON from nothing; SUB, PUB and DISC each from CON,
 * each on a separate connection. Nothing else is sent on a connection, and its counters are read when
 * everything is acknowledged.
 */
export class StatesLoad extends ConnectingLoad {
  readonly #spent: StateBytes[] = [];
  #framesUnknown: string | null = null;
  /** Values of the first connections that reached the state. */
  #packets: Record<string, number> = {};

  figures(): LoadFigures {
    const { opened, failed } = this.meter;
    return {
      counters: makeCounters({ connectionsOpened: opened, connectionsFailed: failed }),
      // Connections are opened in parallel, so single durations have no meaning and there are no histograms.
      states: summariseStates(this.#spent),
      facts: {
        'workload.ended': `${opened} of ${this.options.command.spec.connections} connections were counted`,
        'states.settleMs': settleMs,
        ...this.#packets,
        ...(this.#framesUnknown === null ? {} : { 'states.frames': this.#framesUnknown }),
      },
      degraded: this.meter.degraded(),
    };
  }

  override snapshot(): LoadSnapshot {
    const counted = summariseStates(this.#spent).map(
      ({ state, bytesSent, bytesReceived }) => [`state.${state}.bytes`, bytesSent + bytesReceived] as const,
    );
    return { ...super.snapshot(), soFar: Object.fromEntries(counted) };
  }

  protected begun(): number {
    return this.meter.opened;
  }

  protected begin(phase: LoadPhase): void {
    if (phase === 'measure') this.work = this.#countAll();
  }

  async #countAll(): Promise<void> {
    // At least one connection for each state.
    const wanted = Math.max(targets.length, this.options.command.spec.connections);
    for (let begun = 0; begun < wanted && (begun === 0 || this.phase === 'measure'); begun += batch) {
      await this.#countBatch(Math.min(batch, wanted - begun));
    }
    this.enter('drain');
  }

  async #countBatch(count: number): Promise<void> {
    const probes = Array.from({ length: count }, (_, i) =>
      this.#makeProbe(targets[i % targets.length] ?? 'SUB'),
    );
    const alive = new Set(probes);
    const attempt = (step: (probe: Probe) => Promise<void>) =>
      eachLimited([...alive], lanes, async (probe) => {
        try {
          await step(probe);
        } catch (error) {
          alive.delete(probe);
          this.meter.fail(error);
        }
      });
    await attempt((probe) => this.#open(probe));
    await this.#settle([...alive], (probe, reading) => {
      this.#spent.push(spentBetween('CON', nothingYet, reading));
      probe.connected = reading;
    });
    await attempt((probe) => this.#reach(probe));
    await this.#settle([...alive], ({ target, connected }, reading) => {
      this.#spent.push(spentBetween(target, connected, reading));
    });
    await this.#closeAll(probes);
  }

  #makeProbe(target: Probe['target']): Probe {
    const { command, connections } = this.options;
    const halfClosed = Promise.withResolvers<void>();
    const connection = connections.make({
      spec: { ...command.spec, topic: stateTopics.subscribe, sharedSubscription: false },
      listener: { ...ignoreLoss, onHalfClosed: halfClosed.resolve },
    });
    const exchange = new StateExchange(connection);
    connection.setTraffic(exchange);
    return { target, connection, exchange, halfClosed: halfClosed.promise, connected: nothingYet };
  }

  async #open({ connection }: Probe): Promise<void> {
    const { clock, onFailure } = this.options;
    this.meter.add(await openTimed(connection, { clock, onFailure }));
    this.#packets = { ...describePackets(connection), ...this.#packets };
  }

  async #reach({ target, connection, exchange, halfClosed }: Probe): Promise<void> {
    const { mqttVersion, qos } = this.options.command.spec;
    if (target === 'SUB') {
      await connection.subscribe();
      this.#packets = { ...describePackets(connection), ...this.#packets };
    } else if (target === 'PUB') {
      const bytes = await exchange.publish({ mqttVersion, qos, topic: stateTopics.publish });
      this.#packets = { 'states.packet.PUBLISH': bytes, ...this.#packets };
    } else {
      connection.leave();
      // The broker then closes the connection (MQTT 5 section 3.14.4).
      const closed = await waitAtMost(closeTimeoutMs, halfClosed);
      if (!closed) this.#framesUnknown = 'the broker does not close the connection after DISCONNECT';
    }
  }

  async #settle(probes: readonly Probe[], take: (probe: Probe, reading: Reading) => void): Promise<void> {
    await wait(settleMs);
    const segments = await readSegments(this.options.command.broker.port);
    if (segments === null) this.#framesUnknown = 'ss(8) of iproute2 is not installed on this device';
    for (const probe of probes) take(probe, readingOf(probe.connection, segments));
  }

  /**
   * Closes all connections. After DISCONNECT, only the local half is open; the other connections disconnect
   * in the usual way.
   */
  async #closeAll(probes: readonly Probe[]): Promise<void> {
    const { connections } = this.options;
    const closed = eachLimited(probes, lanes, async ({ connection, target }) => {
      if (target === 'DISC') connections.forget(connection);
      else await connections.close(connection);
    });
    await waitAtMost(closeTimeoutMs, closed);
    for (const { connection } of probes) connections.forget(connection);
  }
}

/** Returns the components of a state's bytes: packets sent and received, and certificates. */
function describePackets({ answered, transport }: Connection): Record<string, number> {
  const [connect, subscribe] = answered;
  const certificates = certificateBytesOf(transport.tlsSocket);
  return {
    ...(connect && { 'states.packet.CONNECT': connect.bytes, 'states.packet.CONNACK': connect.answerBytes }),
    ...(subscribe && {
      'states.packet.SUBSCRIBE': subscribe.bytes,
      'states.packet.SUBACK': subscribe.answerBytes,
    }),
    ...(certificates === null ? {} : { 'states.certificateBytes': certificates }),
  };
}

/**
 * Topics of four bytes each, as in the published counts. There are two topics, so that no subscriber receives
 * the published message.
 */
const stateTopics = { subscribe: 'msub', publish: 'mpub' } as const;

const stepTimeoutMs = 15_000;

/** Sends one message without payload on a connection and waits for its last acknowledgement. */
class StateExchange implements Traffic {
  readonly #connection: Connection;
  readonly #replies: AcknowledgementWriter;
  readonly #delivered = Promise.withResolvers<void>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#replies = new AcknowledgementWriter(connection.writer);
  }

  /** Resolves with the length of the packet; rejects with Failure if no acknowledgement arrives. */
  async publish(packet: Parameters<typeof encodeEmptyPublish>[0]): Promise<number> {
    const bytes = encodeEmptyPublish(packet);
    const written = Promise.withResolvers<void>();
    this.#connection.writer.write(bytes, written.resolve);
    await written.promise;
    if (packet.qos === 0) return bytes.length;
    const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
    await within(stepTimeoutMs, tooLong, this.#delivered.promise);
    return bytes.length;
  }

  onPublish(): void {}

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    const goesOn = type === packetTypes.pubrec && reasonCode < 0x80;
    if (goesOn) this.#replies.add(packetTypes.pubrel, packetId);
    else this.#delivered.resolve();
  }

  afterChunk(): void {
    this.#replies.flush();
  }
}

/**
 * Counts for an idle connection: TCP payload from its socket, and segments from the kernel (null if the
 * kernel does not report them).
 */
interface Reading {
  bytesSent: number;
  bytesReceived: number;
  segments: Segments | null;
}

function readingOf({ transport }: Connection, all: ReadonlyMap<number, Segments> | null): Reading {
  return {
    bytesSent: transport.bytesSent,
    bytesReceived: transport.bytesReceived,
    segments: all?.get(transport.localPort) ?? null,
  };
}

/** Counts for a connection that is not open yet. */
const nothingYet: Reading = { bytesSent: 0, bytesReceived: 0, segments: null };

/** Local FIN and its acknowledgement, because the kernel drops the connection before it can report them. */
const closingFrames = 2;

/**
 * Returns the difference between two readings of a connection. Frames are null if some were retransmitted.
 */
function spentBetween(state: StateBytes['state'], before: Reading, after: Reading): StateBytes {
  const bytesSent = after.bytesSent - before.bytesSent;
  const bytesReceived = after.bytesReceived - before.bytesReceived;
  const payload = bytesSent + bytesReceived;
  return { state, bytesSent, bytesReceived, ...framesBetween(state, { before, after, payload }) };
}

function framesBetween(
  state: StateBytes['state'],
  { before, after, payload }: { before: Reading; after: Reading; payload: number },
): Pick<StateBytes, 'frames' | 'frameBytes'> {
  const { segments } = after;
  const opening = state === 'CON';
  const known = segments !== null && (opening || before.segments !== null);
  if (!known || segments.retransmitted > 0) return { frames: null, frameBytes: null };
  const { each, syn } = segments.headerBytes;
  const seen =
    segments.sent + segments.received - (before.segments?.sent ?? 0) - (before.segments?.received ?? 0);
  const frames = seen + (state === 'DISC' ? closingFrames : 0);
  // SYN and the response to it have other options than the other segments.
  const more = opening ? 2 * (syn - each) : 0;
  return { frames, frameBytes: payload + frames * each + more };
}

const order = ['CON', 'SUB', 'PUB', 'DISC'] as const;

/**
 * Returns the median connection of each state, by payload, then by frames. Its values therefore belong
 * together and were actually observed. (Lengths differ slightly: an ECDSA signature has 70 to 72 bytes.) For
 * an even number, returns the lower of the two.
 */
function summariseStates(all: readonly StateBytes[]): StateBytes[] {
  return order.flatMap((state) => {
    const own = all.filter((entry) => entry.state === state);
    const known = own.filter(({ frames }) => frames !== null);
    const sorted = (known.length > 0 ? known : own).toSorted(
      (a, b) => payloadOf(a) - payloadOf(b) || (a.frameBytes ?? 0) - (b.frameBytes ?? 0),
    );
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? [];
  });
}

function payloadOf({ bytesSent, bytesReceived }: StateBytes): number {
  return bytesSent + bytesReceived;
}

const segmentsTimeoutMs = 5_000;

/** Counts for one connection so far, from the kernel (TCP_INFO, tcp(7)). */
interface Segments {
  sent: number;
  received: number;
  retransmitted: number;
  /** Header bytes below the payload: Ethernet, IP and TCP with its options. */
  headerBytes: { each: number; syn: number };
}

/** Returns the ss(8) report for all connections to one port, by local port; null if ss is not installed. */
export async function readSegments(remotePort: number): Promise<Map<number, Segments> | null> {
  const { stdout, error } = await ask('ss', ['-tinoHO', `dport = :${remotePort}`], segmentsTimeoutMs);
  return error === null ? parseSegments(stdout) : null;
}

const ethernetBytes = 14;
const tcpBytes = 20;
/** Option length in RFC 7323 section 3: kind, length and two time stamps, padded to four bytes. */
const timestampBytes = 12;

/** Parses lines of `ss -tinoHO`. */
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

/**
 * Returns the header sizes. Linux orders and pads the options in a SYN in this way: maximum segment size,
 * SACK and time stamps, window scale.
 */
function headerBytesOf(line: string, local: string): Segments['headerBytes'] {
  const has = (option: RegExp) => option.test(line);
  // An IPv4 address in IPv6 notation is transmitted as IPv4.
  const ipBytes = local.startsWith('[') && !local.startsWith('[::ffff:') ? 40 : 20;
  const stamped = has(/\sts\s/);
  const selective = has(/\ssack\s/);
  const below = ethernetBytes + ipBytes + tcpBytes;
  const synOptions = 4 + (stamped ? timestampBytes : selective ? 4 : 0) + (has(/\swscale:/) ? 4 : 0);
  return { each: below + (stamped ? timestampBytes : 0), syn: below + synOptions };
}
