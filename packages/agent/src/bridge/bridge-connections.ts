import type { BrokerStatus } from '@mqttlab/shared/domain/runs/bridge-counters';
import type { PrepareBridge } from '@mqttlab/shared/messages/agent';
import type { Connection } from '../mqtt/connection.ts';
import { ConnectionSource, type WireBytes } from '../mqtt/connection-source.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import type { MicrosecondClock } from '../pacing/clock.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import type { Bridge } from './bridge.ts';
import { KeptConnection } from './kept-connection.ts';
import type { BridgeLegs } from './legs.ts';

export interface BridgeConnectionsOptions {
  command: PrepareBridge & { localAddress?: string };
  legs: BridgeLegs;
  bridge: Bridge;
  clock: MicrosecondClock;
  heartbeatMs: number;
  onLog: (level: 'info' | 'warn', text: string) => void;
}

/** Longer than any pause of a bridge: what came meanwhile waits at the local broker. */
const sessionExpiryS = 86_400;
/** More than fixed header, topic and the properties that a broker may add. */
const headerBytes = 4_096;

/** The two connections of a bridge, each kept open whatever becomes of its broker. */
export class BridgeConnections {
  readonly local: KeptConnection;
  readonly cloud: KeptConnection;
  readonly #sources: readonly ConnectionSource[];

  private constructor(
    { command, legs, bridge, clock, heartbeatMs, onLog }: BridgeConnectionsOptions,
    sources: { local: ConnectionSource; cloud: ConnectionSource },
  ) {
    this.#sources = [sources.local, sources.cloud];
    const tag = command.runTag.toString(16).padStart(8, '0');
    const keptBytes = makePublishTemplate(legs.local.spec, 0).packet.length + headerBytes;
    const brokersOf = { local: [command.local.broker], cloud: command.cloud.brokers } as const;
    const makeLeg = (leg: 'local' | 'cloud', more: LegBehaviour) =>
      new KeptConnection({
        brokers: brokersOf[leg].length,
        heartbeatMs,
        clock,
        make: (broker, listeners) => {
          const { localAddress } = command;
          const endpoint = brokersOf[leg][broker] ?? command.local.broker;
          const connection = sources[leg].make({
            ...listeners,
            clientId: `lab-${tag}-${leg}`,
            broker: { ...endpoint, ...(localAddress === undefined ? {} : { localAddress }) },
            keptBytes,
            ...(leg === 'local' ? { sessionExpiryS } : {}),
          });
          more.made(connection);
          return connection;
        },
        open: async (connection) => {
          await connection.open();
          if (leg === 'local') await this.subscribe(bridge, connection);
        },
        isPaused: more.isPaused,
        onUp: (connection) => {
          onLog('info', `connected to the ${leg} broker at ${nameOf(connection)}`);
          more.up(connection);
        },
        onDown: (connection, reason) => {
          onLog('warn', `the ${leg} broker is not there: ${reason}`);
          sources[leg].forget(connection);
          more.down();
        },
      });
    this.local = makeLeg('local', {
      made: (connection) => bridge.local.use(connection),
      up: () => {},
      down: () => bridge.local.down(),
      isPaused: () => bridge.local.paused,
    });
    this.cloud = makeLeg('cloud', {
      made: (connection) => connection.carry(bridge.cloud),
      up: (connection) => bridge.cloudUp(connection),
      down: () => bridge.cloudDown(),
      isPaused: () => false,
    });
  }

  /** Rejects with Failure. */
  static async make(options: BridgeConnectionsOptions): Promise<BridgeConnections> {
    const { legs, clock } = options;
    const [local, cloud] = await Promise.all(
      [legs.local, legs.cloud].map(
        async (command) => new ConnectionSource({ command, clock, tls: await makeClientTls(command) }),
      ),
    );
    if (local === undefined || cloud === undefined) throw new RangeError('a bridge has two legs');
    return new BridgeConnections(options, { local, cloud });
  }

  /** After CONNACK of the local broker. */
  async subscribe(bridge: Bridge, connection: Connection): Promise<void> {
    bridge.local.greet(connection.grant?.sessionPresent ?? false);
    await connection.subscribe();
  }

  wireBytes(): WireBytes {
    const bytes = this.#sources.map((source) => source.wireBytes());
    return {
      sent: bytes.reduce((sum, { sent }) => sum + sent, 0),
      received: bytes.reduce((sum, { received }) => sum + received, 0),
    };
  }

  localPorts(): number[] {
    return this.#sources.flatMap((source) => source.localPorts());
  }

  counters() {
    const { local, cloud } = this;
    return {
      localReconnects: local.history.reconnects,
      cloudReconnects: cloud.history.reconnects,
      failovers: cloud.history.failovers,
      missedHeartbeats: [...local.heartbeats, ...cloud.heartbeats].reduce((sum, one) => sum + one.missed, 0),
    };
  }

  /** `zeroUs` of this process's clock is when measuring began. */
  brokerStatus(zeroUs: number): BrokerStatus[] {
    return (['local', 'cloud'] as const).flatMap((leg) =>
      this[leg].heartbeats.map((one, i) => ({ leg, place: i + 1, ...one.status(zeroUs) })),
    );
  }

  stop(): void {
    this.local.stop();
    this.cloud.stop();
  }

  /** Waits for the brokers for a while only; never rejects. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#sources.map((source) => source.closeAll()));
  }
}

interface LegBehaviour {
  made: (connection: Connection) => void;
  up: (connection: Connection) => void;
  down: () => void;
  isPaused: () => boolean;
}

function nameOf(connection: Connection): string {
  const { remoteAddress, remotePort } = connection.negotiated();
  return `${remoteAddress}:${remotePort}`;
}
