import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCapture, PacketCapture } from './instruments/capture/packet-capture.ts';
import { ChildRecords } from './processes/child-records.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

/** A capture of a port whose listener reads everything and sends nothing. */
async function startCapture(change: { maxBytes?: number } = {}) {
  const sink = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  onTestFinished(() => void sink.close());
  await expect.poll(() => sink.listening).toBe(true);
  const bound = sink.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const folder = makeTemporaryFolder();
  const { program } = await findCapture();
  const [path, children] = [join(folder, 'files', 'capture.pcap'), join(folder, 'children')];
  const records = new ChildRecords({ folder: children, procRoot: '/proc', onFailure: () => {} });
  const options = { program: program!, level: 'full', port, path, procRoot: '/proc', records } as const;
  const capture = new PacketCapture({ ...options, spec: makeTestSpec(), ...change });
  await capture.start();
  const pids = () => readdirSync(children).map((name) => Number.parseInt(name, 10));
  return { capture, port, path, pids };
}

test('a capture that reaches its limit ends there, is marked as truncated, and can be read', async () => {
  const maxBytes = 64 * 1024;
  const { capture, port, path, pids } = await startCapture({ maxBytes });
  const socket = connect(port, '127.0.0.1');
  socket.write(Buffer.alloc(10 * maxBytes));
  await expect.poll(() => statSync(path).size).toBe(maxBytes);
  socket.destroy();
  const found = await capture.stop();
  expect(found?.cut).toBe('It reached its limit of 0.0625 MiB; later packets are missing.');
  expect(found?.fileBytes).toBe(maxBytes);
  expect(found?.connections).toMatchObject([{ clientPort: expect.any(Number) }]);
  expect(pids()).toEqual([]);
});

test('waits for packets that the program has not written yet', async () => {
  const { capture, port, pids } = await startCapture();
  const [pid = 0] = pids();
  process.kill(pid, 'SIGSTOP');
  const socket = connect(port, '127.0.0.1');
  socket.end(Buffer.alloc(1000));
  await once(socket.resume(), 'close');
  setTimeout(() => process.kill(pid, 'SIGCONT'), 1_500);
  const found = await capture.stop();
  expect(found).toMatchObject({ cut: null, connections: [{ bytesSent: 1000 }] });
});

test('a device without a capture program, or without permission, reports the cause', async () => {
  expect(await findCapture(async () => null)).toEqual({
    program: null,
    refusal: 'neither tcpdump nor dumpcap is installed',
  });
  const refused = await findCapture(async (name) => (name === 'tcpdump' ? '/bin/false' : null));
  expect(refused).toEqual({ program: null, refusal: 'tcpdump is not permitted to capture: no output' });
});
