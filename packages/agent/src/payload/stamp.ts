import { stampBytes } from '@mqttlab/shared/domain/plans/trial-levels';

/*
 * The first 20 bytes of a payload, little endian:
 *   0 u32 run tag · 4 u16 publisher · 6 u8 flags (bit 0: measured) · 7 u8 version · 8 u32 sequence
 *   12 f64 intended send time in µs on the testbed clock; u64 in version 2, from devices without an agent.
 * A shorter payload has only a mark in its first byte (bit 0: measured).
 */
const version = 1;
const deviceVersion = 2;
const measuredFlag = 1;
const shortMark = 0xa4;

/** One stamp, which is written and read in place so that the hot path allocates nothing. */
export interface Stamp {
  runTag: number;
  publisher: number;
  measured: boolean;
  sequence: number;
  intendedUs: number;
}

export function makeStamp(): Stamp {
  return { runTag: 0, publisher: 0, measured: false, sequence: 0, intendedUs: 0.5 };
}

/** Writes the stamp as 20 bytes at `at`. */
export function writeStamp(view: DataView, at: number, stamp: Stamp): void {
  const flags = stamp.measured ? measuredFlag : 0;
  view.setUint32(at, stamp.runTag, true);
  view.setUint32(at + 4, stamp.publisher | (flags << 16) | (version << 24), true);
  view.setUint32(at + 8, stamp.sequence, true);
  view.setFloat64(at + 12, stamp.intendedUs, true);
}

/** Fills `stamp` from 20 bytes at `at`; returns false if they are not a stamp of this version. */
export function readStamp(view: DataView, at: number, stamp: Stamp): boolean {
  if (at + stampBytes > view.byteLength) return false;
  const word = view.getUint32(at + 4, true);
  const written = word >>> 24;
  if ((written !== version && written !== deviceVersion) || ((word >>> 16) & 0xff) > measuredFlag)
    return false;
  stamp.runTag = view.getUint32(at, true);
  stamp.publisher = word & 0xffff;
  stamp.measured = (word & (measuredFlag << 16)) !== 0;
  stamp.sequence = view.getUint32(at + 8, true);
  stamp.intendedUs =
    written === version
      ? view.getFloat64(at + 12, true)
      : view.getUint32(at + 16, true) * 2 ** 32 + view.getUint32(at + 12, true);
  return Number.isFinite(stamp.intendedUs);
}

/** Returns the first byte of a payload that is too short for a stamp. */
export function shortMarkOf(measured: boolean): number {
  return measured ? shortMark | 1 : shortMark;
}

/** Returns true if the message was measured; null if the byte is not such a mark. */
export function readShortMark(byte: number): boolean | null {
  return (byte & 0xfe) === shortMark ? (byte & 1) === 1 : null;
}

/** Returns true if the payload in the first `length` bytes, stamped or marked, belongs to the measure phase. */
export function isMeasured(bytes: Uint8Array, length: number): boolean {
  if (length >= stampBytes) return ((bytes[6] ?? 0) & measuredFlag) !== 0;
  return length > 0 && readShortMark(bytes[0] ?? 0) === true;
}
