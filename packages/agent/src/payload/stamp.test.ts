import { stampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import { fc } from '@mqttlab/shared/testing/properties';
import { expect, it } from 'vitest';
import { makeStamp, readShortMark, readStamp, shortMarkOf, writeStamp } from './stamp.ts';

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const stamps = fc.record({
  runTag: u32,
  publisher: fc.integer({ min: 0, max: 0xffff }),
  measured: fc.boolean(),
  sequence: u32,
  intendedUs: fc.double({ noNaN: true, noDefaultInfinity: true }),
});

it('is restored unchanged, at any offset, in 20 bytes', () => {
  fc.assert(
    fc.property(stamps, fc.integer({ min: 0, max: 9 }), (stamp, at) => {
      const bytes = new Uint8Array(at + stampBytes + 3).fill(0xee);
      const view = new DataView(bytes.buffer);
      writeStamp(view, at, stamp);
      const read = makeStamp();
      expect(readStamp(view, at, read)).toBe(true);
      expect(read).toEqual(stamp);
      expect(bytes.subarray(0, at).every((byte) => byte === 0xee)).toBe(true);
      expect(bytes.subarray(at + stampBytes).every((byte) => byte === 0xee)).toBe(true);
    }),
  );
});

it('is little endian in the order of the format', () => {
  const view = new DataView(new ArrayBuffer(stampBytes));
  writeStamp(view, 0, {
    runTag: 0x04030201,
    publisher: 0x0605,
    measured: true,
    sequence: 0x0c0b0a09,
    intendedUs: 1,
  });
  expect([...new Uint8Array(view.buffer)]).toEqual([
    1, 2, 3, 4, 5, 6, 1, 1, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
  ]);
});

it('is not found in other bytes', () => {
  const view = new DataView(new ArrayBuffer(stampBytes));
  const read = makeStamp();
  expect(readStamp(view, 0, read)).toBe(false);
  writeStamp(view, 0, { ...makeStamp(), measured: true });
  expect(readStamp(view, 0, read)).toBe(true);
  expect(readStamp(view, 1, read)).toBe(false);
  view.setUint8(6, 2);
  expect(readStamp(view, 0, read)).toBe(false);
});

it('leaves a one-byte mark if there is no room', () => {
  expect(readShortMark(shortMarkOf(true))).toBe(true);
  expect(readShortMark(shortMarkOf(false))).toBe(false);
  expect(readShortMark(0)).toBeNull();
});

it('of a device without an agent has an integer number of µs as its time', () => {
  // struct.pack("<IHBBIQ", 0xdecafbad, 0, 1, 2, 7, 5_000_000_000_123) of Python.
  const bytes = Buffer.from('adfbcade0000010207000000', 'hex');
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(5_000_000_000_123n);
  const read = makeStamp();
  const all = new Uint8Array(Buffer.concat([bytes, time]));
  expect(readStamp(new DataView(all.buffer), 0, read)).toBe(true);
  expect(read).toEqual({
    runTag: 0xdecafbad,
    publisher: 0,
    measured: true,
    sequence: 7,
    intendedUs: 5_000_000_000_123,
  });
});
