import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { localEndsOf } from './socket-ports.ts';

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  // A socket of IPv6 that speaks IPv4, as programs have that listen to both.
  ['::ffff:127.0.0.1', '127.0.0.1'],
])('a connection to %s begins at %s', async (host, address) => {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host, port });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  expect(localEndsOf('/proc', process.pid, port)).toEqual([{ address, port: socket.localPort }]);
  expect(localEndsOf('/proc', process.pid, 1)).toEqual([]);
});

test('a process that is gone has none', () => {
  expect(localEndsOf('/nowhere', 1, 1883)).toEqual([]);
});
