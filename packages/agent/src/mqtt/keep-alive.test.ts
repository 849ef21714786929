import { createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { Connection, ignoreLoss } from './connection.ts';

/** A broker that accepts connections and answers pings; `connack`: its answer to CONNECT. */
async function openWith(connack: readonly number[], options: Record<string, number> = {}) {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      socket.write(Buffer.from(received.length === 1 ? connack : [0xd0, 0]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  const connection = new Connection({
    spec: makeTestSpec({ mqttVersion: '5.0', options }),
    session: { clientId: 'pinging' },
    broker: { address: '127.0.0.1', port: bound !== null && typeof bound === 'object' ? bound.port : 0 },
    tls: null,
    clock: new MonotonicClock(),
    readBuffer: Buffer.alloc(1_024),
    listener: ignoreLoss,
  });
  onTestFinished(() => connection.transport.destroy());
  await connection.openTcp();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await connection.openMqtt();
  const pings = () => received.slice(1).filter((packet) => packet.equals(Buffer.from([0xc0, 0])));
  return { connection, received, pings };
}

const accepted = [0x20, 3, 0, 0, 0];
const serverKeepAlive1s = [0x20, 6, 0, 0, 3, 19, 0, 1];

it('pings a broker that requests a keep-alive, twice in each period', async () => {
  const { connection, received, pings } = await openWith(serverKeepAlive1s);
  for (const count of [1, 2, 3]) {
    vi.advanceTimersByTime(500);
    await expect.poll(() => pings().length).toBe(count);
  }
  expect(pings()).toHaveLength(received.length - 1);
  expect(connection.grant?.serverKeepAliveS).toBe(1);
});

it('announces the keep-alive of the treatment and pings only while it has nothing else to send', async () => {
  const { connection, received, pings } = await openWith(accepted, { keepAlive: 1 });
  // After the name, the version and the flags of CONNECT (MQTT 5 section 3.1.2.10).
  expect(received[0]?.readUInt16BE(10)).toBe(1);
  for (let sent = 1; sent <= 5; sent += 1) {
    connection.writer.write(Buffer.from([0x40, 2, 0, sent]), () => {});
    await expect.poll(() => received.length).toBe(1 + sent);
    vi.advanceTimersByTime(500);
  }
  expect(pings()).toHaveLength(0);
  vi.advanceTimersByTime(500);
  await expect.poll(() => pings().length).toBe(1);
});

it('announces none unless requested', async () => {
  const { connection, received, pings } = await openWith(accepted);
  expect(received[0]?.readUInt16BE(10)).toBe(0);
  vi.advanceTimersByTime(3_600_000);
  connection.writer.write(Buffer.from([0x40, 2, 0, 1]), () => {});
  await expect.poll(() => received.length).toBe(2);
  expect(pings()).toHaveLength(0);
});
