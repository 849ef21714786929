import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { MonotonicClock } from '../pacing/clock.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { Connection } from './connection.ts';

it('pings a broker that asks for a keep-alive, twice in each period', async () => {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      // CONNACK with Server Keep Alive of one second, then PINGRESP.
      socket.write(
        received.length === 1 ? Buffer.from([0x20, 6, 0, 0, 3, 19, 0, 1]) : Buffer.from([0xd0, 0]),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  const connection = new Connection({
    spec: makeTestSpec({ mqttVersion: '5.0' }),
    clientId: 'pinging',
    broker: { address: '127.0.0.1', port: bound !== null && typeof bound === 'object' ? bound.port : 0 },
    tls: null,
    clock: new MonotonicClock(),
    readBuffer: Buffer.alloc(1_024),
    onLost: () => {},
  });
  onTestFinished(() => connection.transport.destroy());
  await connection.openTcp();
  await connection.openMqtt();
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  const pings = received.slice(1);
  expect(pings.length).toBeGreaterThanOrEqual(2);
  expect(pings.every((ping) => ping.equals(Buffer.from([0xc0, 0])))).toBe(true);
  expect(connection.grant?.serverKeepAliveS).toBe(1);
});
