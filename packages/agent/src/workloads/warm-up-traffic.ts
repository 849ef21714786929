import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { Connection, type ConnectionOptions } from '../mqtt/connection.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import type { LoadedPayloadCipher } from '../payload/path/payload-path.ts';
import { makePayloadSealing } from '../payload/path/payload-sealing.ts';
import { makeStamp, writeStamp } from '../payload/stamp.ts';
import { RehearsalBroker, rehearsalTls } from './rehearsal-broker.ts';
import type { RoleLoad, RoleLoadOptions } from './role-load.ts';

const readingBytes = 64;
const feedEveryMs = 1;
/** Everything is over and collected so long before the measure phase, µs. */
const settleUs = 150_000;

export interface WarmUpTrafficOptions {
  command: PrepareClient;
  /** Of the connections that count. */
  connection: Pick<ConnectionOptions, 'clock' | 'readBuffer'>;
  payloadCipher: LoadedPayloadCipher | null;
  makeLoad: (command: PrepareClient) => RoleLoad;
}

/** A load of the kind that will count, on a connection of its own to a rehearsal broker within this process. */
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
      // The broker of the rehearsal knows neither WebSocket nor shared subscriptions, and messages go without gaps.
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
      clientId: 'rehearsal',
      broker: { address: '127.0.0.1', port },
      tls: spec.security === 'plain' ? null : rehearsalTls,
      onLost: () => {},
    });
    const load = this.#options.makeLoad(this.#command);
    this.#connection = connection;
    this.#load = load;
    connection.carry(load.attach(connection, 0));
    await connection.open();
    if (role === 'subscriber') await connection.subscribe();
  }

  /** So many messages at the rate of this traffic; a subscriber takes them as fast as they can be fed one by one. */
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
   * From now on until shortly before the measure phase (local clock, µs): sends at the rate of this traffic, or takes a
   * message every ms. Never rejects.
   */
  async playUntilMeasured(measureAtUs: number): Promise<void> {
    try {
      await this.#playUntil(measureAtUs - settleUs);
    } catch {
      // What is not compiled by then shows in the verdict on the warm-up.
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

  /** One packet at a time, so that each is read by itself. */
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
