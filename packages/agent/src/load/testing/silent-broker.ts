import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import { onTestFinished } from 'vitest';
import { probePrefix } from '../../clients/text-lines.ts';

/** Acknowledges only subscriptions and the probes that detect connected clients; forwards everything else. */
export async function startSilentBroker(): Promise<{ port: number; published: () => number }> {
  let published = 0;
  const sockets = new Set<Socket>();
  const subscribers = new Set<Socket>();
  const take = (packet: Packet, socket: Socket): void => {
    const { messageId = 1 } = packet;
    if (packet.cmd === 'connect')
      socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
    if (packet.cmd === 'subscribe') {
      subscribers.add(socket);
      socket.write(generate({ cmd: 'suback', messageId, granted: [1] }));
    }
    if (packet.cmd === 'publish') {
      if (String(packet.payload).startsWith(probePrefix))
        socket.write(generate({ cmd: 'puback', messageId }));
      else published += 1;
      for (const subscriber of subscribers) subscriber.write(generate({ ...packet, qos: 0 }));
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    const reader = parser();
    reader.on('packet', (packet) => take(packet, socket));
    socket.on('data', (bytes) => reader.parse(bytes));
    socket.on('error', () => {});
    socket.on('close', () => subscribers.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, published: () => published };
}
