import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { within } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { AcknowledgementWriter } from '../mqtt/acknowledgements.ts';
import { Connection, type ConnectionOptions, ignoreLoss } from '../mqtt/connection.ts';
import { type IncomingPublish, PacketParser, packetTypes } from '../mqtt/packet-parser.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import type { LoadedPayloadCipher } from '../payload/path/payload-path.ts';
import { makePayloadSealing } from '../payload/path/payload-sealing.ts';
import { makeStamp, writeStamp } from '../payload/stamp.ts';
import { loadFailure } from '../processes/failures.ts';
import { makeFixedTls } from '../tls/client-tls.ts';
import type { RoleLoad, RoleLoadOptions } from './role-load.ts';

const rounds = 3;
const timeoutMs = 3_000;

/**
 * Opens and closes a connection a few times before the measured connection. The first handshake in a program
 * also loads and compiles code, which costs several times as much as the handshake. Never rejects: a broker
 * failure is reported, correctly attributed, when the real connections are opened.
 */
export async function rehearse(
  makeOptions: () => Omit<ConnectionOptions, 'listener'>,
  subscribes: boolean,
): Promise<void> {
  const play = async (connection: Connection): Promise<void> => {
    await connection.open();
    if (subscribes) await connection.subscribe();
    await connection.close();
  };
  const deadlineMs = performance.now() + timeoutMs;
  for (let round = 0; round < rounds; round += 1) {
    const connection = new Connection({ ...makeOptions(), listener: ignoreLoss });
    try {
      const tooLong = () => loadFailure('timeout', 'The rehearsal took too long.');
      await within(deadlineMs - performance.now(), tooLong, play(connection));
    } catch {
      return;
    } finally {
      connection.transport.destroy();
    }
  }
}

/**
 * Enough repetitions for V8 to optimise the message path. A subscriber's CPU time per message stays the same
 * from about 2,000 messages on. A publisher that has sent only 3,000 messages needs 15 % more CPU time in a
 * run without warm-up.
 */
const messages: Readonly<Record<PrepareClient['role'], number>> = { publisher: 6_000, subscriber: 3_000 };
/** Fast, but slow enough that each message is a separate write, as at the rates in a trial. */
const hurriedPerSecond = 20_000;
/**
 * Messages that a quiet load lacks for compilation within a short warm-up; a busier load sends enough
 * messages itself.
 */
const besidePerSecond = 1_500;
/** A shorter warm-up is too short for a rehearsal. */
const minWarmUpMs = 300;

/**
 * Sends or receives several thousand messages within this process before the first measured message. Without
 * this rehearsal, the CPU time of a message halves during the first seconds, and the first repetitions
 * include compilation time.
 */
export async function rehearseTraffic(options: WarmUpTrafficOptions): Promise<void> {
  const traffic = new WarmUpTraffic(options, hurriedPerSecond);
  try {
    await traffic.open();
    await traffic.take(messages[options.command.role]);
  } finally {
    await traffic.close();
  }
}

/**
 * Sends extra messages without a subscriber during the warm-up if messages are rare. The code for real
 * connections and long waits is compiled after several hundred executions, at 200 messages/s after two seconds.
 * Until then, the process needs five times its CPU time. Returns null if there is no need.
 */
export async function openBesideTraffic(options: WarmUpTrafficOptions): Promise<WarmUpTraffic | null> {
  if (!needsBesideTraffic(options.command.spec)) return null;
  const traffic = new WarmUpTraffic(options, besidePerSecond);
  try {
    await traffic.open();
    return traffic;
  } catch (error) {
    await traffic.close();
    throw error;
  }
}

/** Returns true if the load itself sends too few messages during its warm-up for all code to be compiled. */
export function needsBesideTraffic(spec: TrialSpec): boolean {
  const { readingsPerSecond, readingsPerMessage, publishers, warmUpMs } = spec;
  if (readingsPerSecond === null || warmUpMs < minWarmUpMs) return false;
  return (readingsPerSecond / readingsPerMessage) * publishers <= besidePerSecond;
}

const readingBytes = 64;
const feedEveryMs = 1;
/** Time before the measure phase at which the rehearsal is finished and garbage is collected, in µs. */
export const settleUs = 150_000;

export interface WarmUpTrafficOptions {
  command: PrepareClient;
  /** Options of the connections that are measured. */
  connection: Pick<ConnectionOptions, 'clock' | 'readBuffer'>;
  payloadCipher: LoadedPayloadCipher | null;
  makeLoad: (command: PrepareClient) => RoleLoad;
}

/** A load like the measured load, on a separate connection to a rehearsal broker within this process. */
export class WarmUpTraffic {
  readonly #options: WarmUpTrafficOptions;
  readonly #command: PrepareClient;
  readonly #broker: RehearsalBroker;
  #connection: Connection | null = null;
  #load: RoleLoad | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: WarmUpTrafficOptions, readingsPerSecond: number) {
    const { command } = options;
    this.#options = options;
    const spec = {
      ...command.spec,
      // The rehearsal broker supports neither WebSocket nor shared subscriptions, and messages are sent without gaps.
      workload: 'stream' as const,
      connectionUse: 'kept' as const,
      transport: 'tcp' as const,
      sharedSubscription: false,
      messages: null,
      readingBytes,
      readingsPerMessage: 1,
      publishers: 1,
      subscribers: 1,
      readingsPerSecond,
    };
    this.#command = { ...command, spec, share: null };
    this.#broker = new RehearsalBroker(spec);
  }

  async open(): Promise<void> {
    const { spec, role } = this.#command;
    const { clock, readBuffer } = this.#options.connection;
    const port = await this.#broker.start();
    const connection = new Connection({
      clock,
      readBuffer,
      spec,
      session: { clientId: 'rehearsal' },
      broker: { address: '127.0.0.1', port },
      tls: spec.security === 'plain' ? null : rehearsalTls,
      listener: ignoreLoss,
    });
    const load = this.#options.makeLoad(this.#command);
    this.#connection = connection;
    this.#load = load;
    connection.setTraffic(load.attach(connection, 0));
    await connection.open();
    if (role === 'subscriber') await connection.subscribe();
  }

  /**
   * Sends a number of messages at this traffic's rate; a subscriber receives them as fast as possible, one by
   * one.
   */
  async take(messages: number): Promise<void> {
    const { role, spec } = this.#command;
    if (role === 'subscriber') {
      const feed = this.#makeFeed();
      for (let i = 0; i < messages; i += 1) {
        feed(i);
        await turn();
      }
      return;
    }
    await this.#send(this.#nowUs + (messages / (spec.readingsPerSecond ?? messages)) * 1e6);
  }

  /**
   * Sends at this traffic's rate, or receives a message every ms, from now until shortly before the measure
   * phase (local clock, µs). Never rejects.
   */
  async playUntilMeasured(measureAtUs: number): Promise<void> {
    try {
      await this.#playUntil(measureAtUs - settleUs);
    } catch {
      // Code that has not been compiled by then affects the verdict on the warm-up.
    }
    await this.close();
  }

  /** Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#load?.stop();
    await this.#connection?.close();
    this.#broker.stop();
  }

  get #nowUs(): number {
    return this.#options.connection.clock.nowUs();
  }

  async #send(untilUs: number): Promise<void> {
    const nowUs = this.#nowUs;
    this.#load?.start({ warmUpAtUs: nowUs, measureAtUs: nowUs, stopAtUs: untilUs }, () => {});
    await this.#load?.drain(null);
  }

  async #playUntil(untilUs: number): Promise<void> {
    if (untilUs <= this.#nowUs) return;
    if (this.#command.role !== 'subscriber') return await this.#send(untilUs);
    const feed = this.#makeFeed();
    for (let i = 0; this.#nowUs < untilUs && this.#closing === null; i += 1) {
      feed(i);
      await wait(feedEveryMs);
    }
  }

  /** Feeds one packet at a time, so that each packet is read separately. */
  #makeFeed(): (index: number) => void {
    const { payloadCipher, connection } = this.#options;
    const command = this.#command;
    const template = makePublishTemplate(command.spec, command.runTag);
    const sealing: RoleLoadOptions = { command, payloadCipher, clock: connection.clock };
    const seal = makePayloadSealing({ ...sealing, template })?.makeSeal() ?? null;
    const stamp = { ...makeStamp(), runTag: command.runTag, measured: true };
    return (index) => {
      const packet = Buffer.from(template.packet);
      if (command.spec.qos > 0) packet.writeUInt16BE((index % 65_535) + 1, template.packetIdAt);
      stamp.sequence = index;
      if (seal === null) {
        writeStamp(new DataView(packet.buffer, packet.byteOffset, packet.length), template.payloadAt, stamp);
      } else {
        writeStamp(seal.view, 0, stamp);
        seal.write(packet, template.payloadAt, true);
      }
      this.#broker.feed(packet);
    };
  }
}

const connectType = 1;
const subscribeType = 8;
/** A key that both ends of the rehearsal share, so that TLS needs no certificate; nothing secret is sent. */
const presharedKey = Buffer.alloc(16, 7);
const presharedSuite = 'PSK-AES128-GCM-SHA256';

/** Client options for TLS with the rehearsal broker. */
const rehearsalTls = makeFixedTls({
  pskCallback: () => ({ psk: presharedKey, identity: 'rehearsal' }),
  checkServerIdentity: () => undefined,
  ciphers: presharedSuite,
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
});

/**
 * A minimal broker on loopback inside the load worker, for warm-up traffic. It accepts and acknowledges
 * everything, and feeds a subscriber packet by packet. It never handles messages of a run.
 */
class RehearsalBroker {
  readonly #spec: Pick<TrialSpec, 'mqttVersion' | 'security'>;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #subscriber: Socket | null = null;

  constructor(spec: Pick<TrialSpec, 'mqttVersion' | 'security'>) {
    this.#spec = spec;
  }

  /** Starts listening and resolves with the port. */
  start(): Promise<number> {
    const serve = (socket: Socket): void => this.#serve(socket);
    const tls = { pskCallback: () => presharedKey, ciphers: presharedSuite, maxVersion: 'TLSv1.2' } as const;
    const server =
      this.#spec.security === 'plain'
        ? createServer({ noDelay: true }, serve)
        : createTlsServer({ ...tls, noDelay: true }, serve);
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const bound = server.address();
        resolve(bound !== null && typeof bound === 'object' ? bound.port : 0);
      });
    });
  }

  stop(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Sends a packet to every subscriber. */
  feed(packet: Buffer): void {
    this.#subscriber?.write(packet);
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const replies = new AcknowledgementWriter({ write: (bytes, done) => socket.write(bytes, done) });
    const mqtt5 = this.#spec.mqttVersion === '5.0';
    const parser = new PacketParser(
      {
        onPublish: ({ qos, packetId }: IncomingPublish) => {
          if (qos > 0) replies.add(qos === 1 ? packetTypes.puback : packetTypes.pubrec, packetId);
        },
        onAcknowledgement: (type, packetId) => {
          if (type === packetTypes.pubrec) replies.add(packetTypes.pubrel, packetId);
          if (type === packetTypes.pubrel) replies.add(packetTypes.pubcomp, packetId);
        },
        onControl: (type, packet) => {
          if (type === connectType) socket.write(Buffer.from(mqtt5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]));
          if (type === subscribeType) {
            this.#subscriber = socket;
            const granted = packet[packet.length - 1] ?? 0;
            socket.write(Buffer.from(mqtt5 ? [0x90, 4, 0, 1, 0, granted] : [0x90, 3, 0, 1, granted]));
          }
        },
      },
      { mqtt5 },
    );
    socket.on('data', (chunk: Buffer) => {
      parser.push(chunk, chunk.length);
      replies.flush();
    });
    socket.on('error', () => socket.destroy());
  }
}
