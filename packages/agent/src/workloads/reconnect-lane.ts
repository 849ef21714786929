import { within } from '@mqttlab/shared/kit/waiting';
import { loadFailure } from '../base/load-failures.ts';
import type { ByteWriter } from '../mqtt/buffers.ts';
import type { Traffic } from '../mqtt/connection.ts';
import { packetTypes } from '../mqtt/packet-parser.ts';
import type { ConnectionMeter } from './counting/connection-meter.ts';
import type { MessageConnection } from './message-connection.ts';
import type { Publisher } from './publisher.ts';
import type { RoleLoadOptions } from './role-load.ts';

export interface ReconnectLaneOptions extends Pick<RoleLoadOptions, 'command'> {
  makeConnection: (traffic: Traffic, onLost: (why: string) => void) => MessageConnection;
  meter: ConnectionMeter;
  makePublisher: (to: ByteWriter) => Publisher;
  /** The last message is delivered or given up, and its connection is closed. */
  onFree: () => void;
  /** A measured message was given up because its connection could not be opened. */
  onUnsent: () => void;
}

const acknowledgementTimeoutMs = 15_000;

/** One publisher that makes a connection for each message, one after the other. */
export class ReconnectLane {
  readonly #options: ReconnectLaneOptions;
  readonly publisher: Publisher;
  #connection: MessageConnection | null = null;
  #busy = false;
  /** A measured message whose connection is being opened: neither sent nor given up. */
  #opening = false;

  constructor(options: ReconnectLaneOptions) {
    this.#options = options;
    this.publisher = options.makePublisher({
      write: (bytes, done) => {
        if (this.#connection === null) done();
        else this.#connection.writer.write(bytes, done);
      },
    });
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Closes the publisher; returns the measured messages that were due and will not be sent. */
  close(): number {
    const left = this.publisher.close();
    return Math.max(0, this.#opening ? left - 1 : left);
  }

  /** Opens, publishes the next message, waits for its acknowledgement, closes. */
  begin(beganUs: number): void {
    if (this.#busy) return;
    this.#busy = true;
    void this.#deliver(beganUs).finally(() => {
      this.#busy = false;
      this.#options.onFree();
    });
  }

  async #deliver(beganUs: number): Promise<void> {
    const { command, makeConnection, meter, onUnsent } = this.#options;
    const { spec } = command;
    const { publisher } = this;
    const measured = publisher.nextIsMeasured;
    this.#opening = measured;
    const acknowledged = Promise.withResolvers<void>();
    acknowledged.promise.catch(() => {});
    const lost = (why: string) => acknowledged.reject(loadFailure('connection-lost', why));
    const connection = makeConnection(this.#makeTraffic(acknowledged.resolve), lost);
    this.#connection = connection;
    let sent = false;
    try {
      const times = await connection.open();
      this.#opening = false;
      publisher.sendOne(beganUs);
      sent = true;
      if (spec.qos > 0) await within(acknowledgementTimeoutMs, tooLong, acknowledged.promise);
      await connection.close();
      if (measured) {
        meter.add(times);
        meter.addBytes(connection.measured());
      }
    } catch (error) {
      this.#opening = false;
      if (!sent) publisher.skipOne();
      if (!sent && measured) onUnsent();
      if (measured) meter.fail(error);
    } finally {
      connection.forget();
      this.#connection = null;
    }
  }

  #makeTraffic(onDelivered: () => void): Traffic {
    const { publisher } = this;
    return {
      onPublish: () => {},
      onAcknowledgement: (type, packetId, reasonCode) => {
        publisher.onAcknowledgement(type, packetId, reasonCode);
        if (type !== packetTypes.pubrec || reasonCode >= 0x80) onDelivered();
      },
      afterChunk: () => publisher.afterChunk(),
    };
  }
}

const tooLong = () => loadFailure('timeout', 'The broker did not acknowledge a message.');
