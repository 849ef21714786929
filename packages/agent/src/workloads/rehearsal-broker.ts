import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type ConnectionOptions as TlsOptions } from 'node:tls';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { AcknowledgementWriter } from '../mqtt/acknowledgements.ts';
import { type IncomingPublish, PacketParser, packetTypes } from '../mqtt/packet-parser.ts';

const connectType = 1;
const subscribeType = 8;
/** A key that both ends of the rehearsal know, so that TLS needs no certificate; nothing secret ever travels. */
const presharedKey = Buffer.alloc(16, 7);
const presharedSuite = 'PSK-AES128-GCM-SHA256';

/** Client options for the rehearsal broker's TLS. */
export const rehearsalTls: TlsOptions = {
  pskCallback: () => ({ psk: presharedKey, identity: 'rehearsal' }),
  checkServerIdentity: () => undefined,
  ciphers: presharedSuite,
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
};

/**
 * Just enough of a broker, inside the load worker and on loopback, for warm-up traffic: it accepts everything,
 * acknowledges, and feeds a subscriber packet by packet. No message of a Run ever passes through it.
 */
export class RehearsalBroker {
  readonly #spec: Pick<TrialSpec, 'mqttVersion' | 'security'>;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #subscriber: Socket | null = null;

  constructor(spec: Pick<TrialSpec, 'mqttVersion' | 'security'>) {
    this.#spec = spec;
  }

  /** Resolves with the port. */
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

  /** Sends a packet to whoever subscribed. */
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
