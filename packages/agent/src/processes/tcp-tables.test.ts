import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { localEndsOf, peersOfPort } from './network.ts';

const root = mkdtempSync(join(tmpdir(), 'mqttlab-peers-'));
afterAll(() => rmSync(root, { recursive: true }));

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const line = (local: string, remote: string, state: string) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 12345 1\n`;

describe('the peers of a port', () => {
  it('are read from the tables of the kernel, IPv6 and mapped addresses too, each once', async () => {
    mkdirSync(join(root, 'net'));
    const tcp = [
      line('0100530A:22B3', '00000000:0000', '0A'),
      line('0100530A:22B3', '0200530A:C001', '01'),
      line('0100530A:22B3', '0200530A:C002', '01'),
      line('0100530A:22B3', '0300530A:C002', '06'),
      line('0100530A:0016', '0900530A:C002', '01'),
    ];
    const tcp6 = [
      line('0000000000000000FFFF00000100530A:22B3', '0000000000000000FFFF00000400530A:C001', '01'),
      line('B80D0120000000000000000001000000:22B3', 'B80D0120000000000000000002000000:C001', '01'),
    ];
    writeFileSync(join(root, 'net', 'tcp'), head + tcp.join(''));
    writeFileSync(join(root, 'net', 'tcp6'), head + tcp6.join(''));
    expect(peersOfPort(root, 0x22b3)).toEqual(['10.83.0.2', '10.83.0.4', '2001:db8::2']);
    expect(peersOfPort(join(root, 'nowhere'), 0x22b3)).toEqual([]);
  });

  it('are those with real connections', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    expect(peersOfPort('/proc', port)).toEqual([]);
    const client = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' });
    await Promise.all([once(client, 'connect'), once(server, 'connection')]);
    expect(peersOfPort('/proc', port)).toEqual(['127.0.0.9']);
    client.destroy();
    server.close();
  });
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  // An IPv6 socket with IPv4 traffic, as in programs that listen to both.
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

test('a process that has ended has none', () => {
  expect(localEndsOf('/nowhere', 1, 1883)).toEqual([]);
});
