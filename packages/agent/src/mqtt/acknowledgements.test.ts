import { describe, expect, it } from 'vitest';
import { AcknowledgementWriter, PacketIds } from './acknowledgements.ts';
import { packetTypes } from './packet-parser.ts';

describe('PacketIds', () => {
  it('assigns 1 to 65,535 and never one that is in flight', () => {
    const ids = new PacketIds();
    const first = Array.from({ length: 65_535 }, () => ids.open(true));
    expect(new Set(first).size).toBe(65_535);
    expect(Math.min(...first.slice(0, 10))).toBe(1);
    expect(ids.close(40_000)).toBe(1);
    expect(ids.close(7)).toBe(1);
    expect([ids.open(true), ids.open(true)].sort((a, b) => a - b)).toEqual([7, 40_000]);
    expect(ids.inFlight).toBe(65_535);
  });

  it('stores through both steps of QoS 2 whether a message was measured', () => {
    const ids = new PacketIds();
    const [measured, warmUp] = [ids.open(true), ids.open(false)];
    expect(ids.release(measured)).toBe(true);
    expect(ids.release(warmUp)).toBe(true);
    expect(ids.close(measured)).toBe(1);
    expect(ids.close(warmUp)).toBe(0);
    expect(ids.inFlight).toBe(0);
  });

  it('accepts no acknowledgement twice, and none for an unsent message', () => {
    const ids = new PacketIds();
    const id = ids.open(true);
    expect(ids.close(id)).toBe(1);
    expect(ids.close(id)).toBe(-1);
    expect(ids.release(id)).toBe(false);
    expect(ids.close(99)).toBe(-1);
    expect(ids.inFlight).toBe(0);
  });
});

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

it('writes all acknowledgements of a chunk together', () => {
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

it('writes more than one buffer in several writes, in order', () => {
  const { writer, written } = makeBench();
  for (let id = 1; id <= 3_000; id += 1) writer.add(packetTypes.puback, id);
  writer.flush();
  const all = Buffer.from(written.join(''), 'hex');
  expect(written.length).toBe(3);
  expect(Array.from({ length: 3_000 }, (_, i) => all.readUInt16BE(4 * i + 2))).toEqual(
    Array.from({ length: 3_000 }, (_, i) => i + 1),
  );
});
