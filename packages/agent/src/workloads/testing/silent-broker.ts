import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { generate, parser } from 'mqtt-packet';
import { onTestFinished } from 'vitest';

/** Accepts connections and subscriptions and acknowledges no message. */
export async function startSilentBroker(): Promise<{ port: number; published: () => number }> {
  let published = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const reader = parser();
    reader.on('packet', (packet) => {
      if (packet.cmd === 'connect')
        socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
      if (packet.cmd === 'subscribe')
        socket.write(generate({ cmd: 'suback', messageId: packet.messageId ?? 1, granted: [1] }));
      if (packet.cmd === 'publish') published += 1;
    });
    socket.on('data', (bytes) => reader.parse(bytes));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, published: () => published };
}
