import { expect, it } from 'vitest';
import { AcknowledgementWriter } from './acknowledgement-writer.ts';
import { packetTypes } from './packet-parser.ts';

function makeBench() {
  const written: string[] = [];
  const done: (() => void)[] = [];
  const writer = new AcknowledgementWriter({
    write: (bytes, callback) => {
      written.push(bytes.toString('hex'));
      done.push(callback);
    },
  });
  return { writer, written, done };
}

it('writes all acknowledgements of a chunk at once', () => {
  const { writer, written } = makeBench();
  writer.flush();
  writer.add(packetTypes.puback, 0x0102);
  writer.add(packetTypes.pubrec, 0xffff);
  writer.add(packetTypes.pubrel, 7);
  writer.add(packetTypes.pubcomp, 8);
  writer.flush();
  writer.flush();
  expect(written).toEqual(['400201025002ffff6202000770020008']);
});

it('does not touch bytes that are still being written', () => {
  const written: Buffer[] = [];
  const writer = new AcknowledgementWriter({ write: (bytes) => written.push(bytes) });
  for (const id of [1, 2]) {
    writer.add(packetTypes.puback, id);
    writer.flush();
  }
  expect(written.map((bytes) => bytes.toString('hex'))).toEqual(['40020001', '40020002']);
});

it('writes more than a buffer holds in several writes, in order', () => {
  const { writer, written } = makeBench();
  for (let id = 1; id <= 3_000; id += 1) writer.add(packetTypes.puback, id);
  writer.flush();
  const all = Buffer.from(written.join(''), 'hex');
  expect(written.length).toBe(3);
  expect(Array.from({ length: 3_000 }, (_, i) => all.readUInt16BE(4 * i + 2))).toEqual(
    Array.from({ length: 3_000 }, (_, i) => i + 1),
  );
});
