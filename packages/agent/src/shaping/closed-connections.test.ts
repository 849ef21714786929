import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ChildRecords } from '../processes/child-records.ts';
import { ClosedConnections, parseConnections } from './tcp-state.ts';

test('a closed connection leaves the counters of the kernel', async () => {
  const server = createServer((socket) => socket.resume().on('error', () => {})).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-closed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const records = new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} });
  const closed = new ClosedConnections({ address: '127.0.0.1', port }, records);
  onTestFinished(() => void closed.stop());
  await closed.start();
  // Recorded, so that the successor of a killed agent ends it.
  expect(readdirSync(folder)).toHaveLength(1);
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
  expect(readdirSync(folder)).toEqual([]);
  expect(parseConnections({ open: '', closed: text, ports })).toMatchObject({ count: 3, retransmitted: 0 });
  expect(parseConnections({ open: '', closed: text, ports: [1] }).retransmitted).toBeNull();
});

test('nothing is started if it is stopped before it listens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-closed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const records = new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} });
  const closed = new ClosedConnections({ address: '127.0.0.1', port: 9 }, records);
  const starting = closed.start();
  expect(await closed.stop()).toBe('');
  await starting;
  expect(readdirSync(folder)).toEqual([]);
});
