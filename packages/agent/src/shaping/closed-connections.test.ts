import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ClosedConnections } from './closed-connections.ts';
import { parseConnections } from './tcp-state.ts';

test('a connection that is closed leaves what the kernel counted of it', async () => {
  const server = createServer((socket) => socket.resume().on('error', () => {})).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = new ClosedConnections({ address: '127.0.0.1', port });
  onTestFinished(() => void closed.stop());
  await closed.start();
  const ports: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const socket: Socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    ports.push(socket.localPort ?? 0);
    socket.end('hello');
    socket.resume();
    await once(socket, 'close');
  }
  const text = await closed.stop();
  expect(parseConnections({ open: '', closed: text, ports })).toMatchObject({ count: 3, retransmitted: 0 });
  expect(parseConnections({ open: '', closed: text, ports: [1] }).retransmitted).toBeNull();
});
