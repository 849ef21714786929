import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { eachLimited } from '../../load-process/each-limited.ts';
import { loadFailure, makeLoadFailure } from '../../load-process/failures.ts';
import { within } from '../../load-process/within.ts';
import type { Connection, Traffic } from '../../mqtt/connection.ts';
import type { ConnectionSource } from '../../mqtt/connection-source.ts';
import { packetTypes } from '../../mqtt/packet-parser.ts';
import { makePublishTemplate } from '../../mqtt/publish-template.ts';
import { toFailure } from '../../runs/run-failure.ts';

export interface SessionsOptions {
  connections: ConnectionSource;
  spec: TrialSpec;
  runTag: number;
}

/** Never (MQTT 5 section 3.1.2.11.2). */
const neverExpiresS = 0xffff_ffff;
const lanes = 10;
const stepTimeoutMs = 5_000;

/**
 * Sessions that never expire, each with a subscription of its own at QoS 1 and messages that the broker has to keep
 * for a client that never comes back.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Set<Connection>();
  #made = 0;
  #refused = 0;
  #queued = 0;
  #firstRefusal: string | null = null;
  #stopped = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Sessions that the broker keeps. */
  get made(): number {
    return this.#made;
  }

  get refused(): number {
    return this.#refused;
  }

  /** Messages that it took for them. */
  get queued(): number {
    return this.#queued;
  }

  get firstRefusal(): string | null {
    return this.#firstRefusal;
  }

  /** Never rejects; ends when all were tried or after `stop`. */
  async start(): Promise<void> {
    const { spec } = this.#options;
    const numbers = Array.from({ length: spec.abusers }, (_, number) => number);
    await eachLimited(numbers, lanes, async (number) => {
      if (this.#stopped) return;
      try {
        const topic = `${spec.topic}/${number}`;
        await this.#make(topic);
        this.#made += 1;
        await this.#fill(topic);
      } catch (error) {
        this.#refused += 1;
        this.#firstRefusal ??= toFailure(error, makeLoadFailure('load-worker', '')).message;
      }
    });
  }

  /** Ends every connection at once; the sessions end with the broker. Idempotent. */
  stop(): void {
    this.#stopped = true;
    for (const connection of this.#open) this.#options.connections.forget(connection);
  }

  async #make(topic: string): Promise<void> {
    await this.#with({ topic, sessionExpiryS: neverExpiresS }, (connection) => connection.subscribe());
  }

  /** From a connection of its own, one message after the other. */
  async #fill(topic: string): Promise<void> {
    const { spec, runTag } = this.#options;
    const { packet, packetIdAt } = makePublishTemplate({ ...spec, qos: 1, topic }, runTag);
    const bytes = Buffer.from(packet);
    await this.#with({ topic }, async (connection) => {
      for (let sent = 0; sent < spec.queuedMessages && !this.#stopped; sent += 1) {
        bytes.writeUInt16BE(sent + 1, packetIdAt);
        const acknowledged = Promise.withResolvers<number>();
        connection.carry(acknowledgementsTo(acknowledged.resolve));
        connection.writer.write(bytes, () => {});
        const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
        const reason = await within(stepTimeoutMs, tooLong, acknowledged.promise);
        if (reason < 0x80) this.#queued += 1;
      }
    });
  }

  async #with(
    { topic, ...more }: { topic: string; sessionExpiryS?: number },
    work: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const { connections, spec } = this.#options;
    const connection = connections.make({ spec: { ...spec, qos: 1, topic }, ...more });
    this.#open.add(connection);
    try {
      await connection.openTcp();
      if (spec.security !== 'plain') await connection.openTls();
      await connection.openMqtt();
      await work(connection);
      const tooLong = () => loadFailure('timeout', 'The broker did not close the connection.');
      await within(stepTimeoutMs, tooLong, connections.close(connection));
    } finally {
      this.#open.delete(connection);
      connections.forget(connection);
    }
  }
}

function acknowledgementsTo(done: (reasonCode: number) => void): Traffic {
  return {
    onPublish: () => {},
    onAcknowledgement: (type, _packetId, reasonCode) => {
      if (type === packetTypes.puback) done(reasonCode);
    },
    afterChunk: () => {},
  };
}
