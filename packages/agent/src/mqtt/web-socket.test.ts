import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Failure } from '@mqttlab/shared/kit/failure';
import { fc } from '@mqttlab/shared/testing/properties';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { startTestBroker } from '../load/testing/test-broker.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { Connection, ignoreLoss } from './connection.ts';
import { opcodes, WebSocketFrames, WebSocketWriter } from './web-socket.ts';

const sizes = [0, 1, 125, 126, 65_535, 65_536, 70_000, 3];

/** Output of a server with the library `ws`: these payloads, each followed by a ping. */
async function recordServer(): Promise<Buffer> {
  const server = createServer();
  const webSockets = new WebSocketServer({ server });
  webSockets.on('connection', (webSocket) => {
    for (const [i, size] of sizes.entries()) {
      webSocket.send(Buffer.alloc(size, i + 1));
      webSocket.ping('hi');
    }
    webSocket.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const socket = connect(bound !== null && typeof bound === 'object' ? bound.port : 0, '127.0.0.1');
  const key = Buffer.alloc(16, 7).toString('base64');
  const lines = ['Connection: Upgrade', 'Upgrade: websocket', `Sec-WebSocket-Key: ${key}`];
  socket.write(`GET / HTTP/1.1\r\nHost: test\r\n${lines.join('\r\n')}\r\nSec-WebSocket-Version: 13\r\n\r\n`);
  // Everything up to the close frame, which has no status.
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.subarray(-2).equals(Buffer.from([0x88, 0]))) resolve();
    });
  });
  socket.destroy();
  webSockets.close();
  server.close();
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

function readAll(stream: Buffer, cuts: readonly number[]) {
  const payload: Buffer[] = [];
  const control: [number, string][] = [];
  const frames = new WebSocketFrames({
    onPayload: (chunk, end, start) => payload.push(Buffer.from(chunk.subarray(start, end))),
    onControlFrame: (opcode, bytes) => control.push([opcode, Buffer.from(bytes).toString()]),
  });
  let at = 0;
  for (const cut of [
    ...cuts.map((share) => Math.floor(share * stream.length)).sort((a, b) => a - b),
    stream.length,
  ]) {
    frames.push(stream.subarray(at, cut), cut - at);
    at = cut;
  }
  return { payload: Buffer.concat(payload), control };
}

describe('frames of a server', () => {
  let stream: Buffer;
  beforeAll(async () => {
    stream = await recordServer();
  });

  it('are parsed as written by another library, wherever they are split', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    const expected = Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i + 1)));
    fc.assert(
      fc.property(cuts, (where) => {
        const { payload, control } = readAll(stream, where);
        expect(payload.equals(expected)).toBe(true);
        expect(control).toEqual([...sizes.map(() => [opcodes.ping, 'hi']), [opcodes.close, '']]);
      }),
    );
  });

  it.each([
    ['masked', [0x82, 0x81, 1, 2, 3, 4, 5]],
    ['text', [0x81, 1, 65]],
    ['of an extension', [0xc2, 1, 65]],
    ['a long ping', [0x89, 126, 0, 200]],
  ])('that are %s are refused', (_what, bytes) => {
    expect(() => readAll(Buffer.from(bytes), [])).toThrow(Failure);
  });
});

/** Reverses the masking of RFC 6455 section 5.3 byte by byte. */
function unmask(frame: Buffer): { opcode: number; payload: Buffer } {
  const short = frame[1]! & 0x7f;
  const header = short === 126 ? 4 : short === 127 ? 10 : 2;
  const length =
    short === 126 ? frame.readUInt16BE(2) : short === 127 ? Number(frame.readBigUInt64BE(2)) : short;
  const key = frame.subarray(header, header + 4);
  const payload = Buffer.from(frame.subarray(header + 4));
  expect(payload).toHaveLength(length);
  return { opcode: frame[0]!, payload: payload.map((byte, i) => byte ^ key[i % 4]!) as Buffer };
}

describe('frames of a client', () => {
  it.each([0, 1, 5, 125, 126, 1_000, 65_535, 65_536, 200_001])(
    'of %i bytes are masked, and reused when written',
    (length) => {
      const sent: Buffer[] = [];
      const dones: (() => void)[] = [];
      const writer = new WebSocketWriter({
        write: (bytes, done) => {
          sent.push(bytes);
          dones.push(done);
        },
      });
      const original = Buffer.from(Array.from({ length }, (_, i) => i & 0xff));
      const copy = Buffer.from(original);
      let called = 0;
      const write = () => writer.write(original, () => (called += 1));
      write();
      write();
      expect(original.equals(copy)).toBe(true);
      for (const frame of sent) {
        const { opcode, payload } = unmask(frame);
        expect(opcode).toBe(0x82);
        expect(Buffer.compare(payload, copy)).toBe(0);
      }
      // Two are in flight, so they share no memory; the third reuses that of the first.
      expect(sent[0]?.buffer).not.toBe(sent[1]?.buffer);
      dones[0]?.();
      expect(called).toBe(1);
      write();
      expect(sent[2]?.buffer).toBe(sent[0]?.buffer);
      expect(Buffer.compare(unmask(sent[2]!).payload, copy)).toBe(0);
    },
  );

  it('use a new key each', () => {
    const keys = new Set<number>();
    const writer = new WebSocketWriter({ write: (bytes) => keys.add(bytes.readUInt32BE(2)) });
    for (let i = 0; i < 2_000; i += 1) writer.write(Buffer.from('x'), () => {});
    expect(keys.size).toBeGreaterThan(1_990);
  });
});

describe('the upgrade', () => {
  async function failureOf(port: number): Promise<RoleFailure> {
    const connection = new Connection({
      spec: makeTestSpec({ transport: 'websocket' }),
      session: { clientId: 'upgrade' },
      broker: { address: '127.0.0.1', port },
      tls: null,
      clock: new MonotonicClock(),
      readBuffer: Buffer.alloc(65_536),
      listener: ignoreLoss,
    });
    try {
      await connection.openTcp();
      await connection.openMqtt();
    } catch (error) {
      if (error instanceof Failure) return error.report;
      throw error;
    } finally {
      await connection.close();
    }
    throw new Error('The connection was made');
  }

  async function listening(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const bound = server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : 0;
  }

  it('reports the answer of a server without WebSocket', async () => {
    const port = await listening(createServer((_request, response) => response.writeHead(404).end()));
    const failure = await failureOf(port);
    expect(failure).toMatchObject({ code: 'websocket-upgrade' });
    expect(failure.message).toMatch(/HTTP\/1\.1 404/);
    expect(failure.remedy).toMatch(/port .* WebSocket connections/);
  });

  it('requires the subprotocol', async () => {
    const server = createServer();
    const webSockets = new WebSocketServer({ server, handleProtocols: () => false });
    onTestFinished(() => webSockets.close());
    const failure = await failureOf(await listening(server));
    expect(failure.message).toMatch(/does not accept the subprotocol "mqtt" and chose none/);
  });

  it('fails on a port with plain MQTT', async () => {
    const broker = await startTestBroker();
    onTestFinished(() => broker.stop());
    const failure = await failureOf(broker.port);
    expect(failure.code).toBe('websocket-upgrade');
    expect(failure.message).toMatch(/closed the connection/);
  });
});
