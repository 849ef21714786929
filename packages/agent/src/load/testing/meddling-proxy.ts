import { connect, createServer, type Server, type Socket } from 'node:net';

/** Changes a PUBLISH to a subscriber: returns the packets to send instead. */
export type Meddle = (packet: Buffer, payloadAt: number) => readonly Buffer[];

export interface MeddlingProxy {
  port: number;
  stop(): void;
}

/** A man in the middle between clients and a broker (MQTT before 5.0) that changes the broker's messages. */
export async function startMeddlingProxy(brokerPort: number, meddle: Meddle): Promise<MeddlingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(brokerPort, '127.0.0.1');
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    client.pipe(broker);
    let rest: Buffer = Buffer.alloc(0);
    broker.on('data', (chunk) => {
      const { packets, left } = splitPackets(Buffer.concat([rest, chunk]));
      rest = left;
      for (const packet of packets) {
        for (const changed of isPublish(packet) ? meddle(packet, payloadAtOf(packet)) : [packet])
          client.write(changed);
      }
    });
    broker.on('close', () => client.destroy());
    client.on('close', () => broker.destroy());
  });
  return {
    port: await listen(server),
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : 0);
    });
  });
}

const isPublish = (packet: Buffer): boolean => packet[0]! >> 4 === 3;

/** Complete packets from the front, by the remaining length of MQTT 3.1.1 section 2.2.3. */
function splitPackets(bytes: Buffer): { packets: Buffer[]; left: Buffer } {
  const packets: Buffer[] = [];
  let at = 0;
  for (;;) {
    const bodyAt = bodyAtOf(bytes, at);
    if (bodyAt === null) break;
    const end = bodyAt.at + bodyAt.length;
    if (end > bytes.length) break;
    packets.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return { packets, left: bytes.subarray(at) };
}

function bodyAtOf(bytes: Buffer, from: number): { at: number; length: number } | null {
  let length = 0;
  for (let i = 0; i < 4; i += 1) {
    const digit = bytes[from + 1 + i];
    if (digit === undefined) return null;
    length += (digit & 0x7f) * 128 ** i;
    if (digit < 0x80) return { at: from + 2 + i, length };
  }
  throw new Error('a length of more than four bytes');
}

function payloadAtOf(packet: Buffer): number {
  const bodyAt = bodyAtOf(packet, 0)?.at ?? 0;
  const hasId = (packet[0]! & 0x06) !== 0;
  return bodyAt + 2 + packet.readUInt16BE(bodyAt) + (hasId ? 2 : 0);
}
