import { erfc, gammaTails } from '../distributions/special.ts';

/** Bits as 0 and 1, one per entry, with the most significant bit of each byte first. */
export type Bits = Uint8Array;

export function bitsFromBytes(bytes: ArrayLike<number>): Bits {
  const bits = new Uint8Array(bytes.length * 8);
  for (let i = 0; i < bits.length; i += 1) bits[i] = (bytes[i >> 3]! >> (7 - (i & 7))) & 1;
  return bits;
}

/** Returns the bits of a string of 0 and 1. Throws RangeError on any other input. */
export function parseBits(text: string): Bits {
  if (!/^[01]*$/.test(text)) throw new RangeError('a bit string must contain only 0 and 1');
  return Uint8Array.from(text, Number);
}

/** Returns the bits of hexadecimal digits. Throws RangeError on any other input. */
export function parseHexBits(text: string): Bits {
  if (!/^[0-9a-f]*$/i.test(text)) throw new RangeError('a hex string must contain only hexadecimal digits');
  return parseBits(
    Array.from(text, (digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join(''),
  );
}

/**
 * Three tests from NIST SP 800-22 Rev. 1a. For random data, p is uniform: 0.9 is no better than 0.3, and
 * passing says nothing about the security of a cipher. All tests return null for an empty sequence.
 */
export interface ApproximateEntropy {
  m: number;
  phiM: number;
  phiM1: number;
  apEn: number;
  chi2: number;
  p: number;
  /** The specification requires m < floor(log2 n) - 5. */
  mWithinSpec: boolean;
}

/** Performs the test in section 2.12. Throws RangeError unless m is a whole number from 0 to 24. */
export function approximateEntropy(bits: Bits, m: number): ApproximateEntropy | null {
  if (!Number.isInteger(m) || m < 0 || m > 24) throw new RangeError(`m must be 0 to 24, got ${m}`);
  const n = bits.length;
  if (n === 0) return null;
  const phiM = patternSum(bits, m);
  const phiM1 = patternSum(bits, m + 1);
  const apEn = phiM - phiM1;
  const chi2 = Math.max(0, 2 * n * (Math.LN2 - apEn));
  const p = gammaTails(2 ** (m - 1), chi2 / 2).upper;
  return { m, phiM, phiM1, apEn, chi2, p, mWithinSpec: m < Math.floor(Math.log2(n)) - 5 };
}

/**
 * Returns the sum of pi ln pi over the shares pi of the overlapping m-bit patterns, wrapped around the end.
 */
function patternSum(bits: Bits, m: number): number {
  if (m === 0) return 0;
  const n = bits.length;
  const counts = new Uint32Array(2 ** m);
  const mask = 2 ** m - 1;
  let pattern = 0;
  for (let i = 0; i < n + m - 1; i += 1) {
    pattern = ((pattern << 1) | bits[i < n ? i : i % n]!) & mask;
    if (i >= m - 1) counts[pattern]! += 1;
  }
  let total = 0;
  for (const count of counts) if (count > 0) total += (count / n) * Math.log(count / n);
  return total;
}

export interface FrequencyTest {
  s: number;
  sObs: number;
  p: number;
}

/** Monobit test, section 2.1. */
export function frequencyTest(bits: Bits): FrequencyTest | null {
  if (bits.length === 0) return null;
  const s = 2 * countOnes(bits) - bits.length;
  const sObs = Math.abs(s) / Math.sqrt(bits.length);
  return { s, sObs, p: erfc(sObs / Math.SQRT2) };
}

export interface RunsTest {
  ones: number;
  pi: number;
  tau: number;
  prerequisiteOk: boolean;
  /** Number of runs; null (and p 0) if the share of ones already fails. */
  v: number | null;
  p: number | null;
}

/**
 * Performs the runs test in section 2.3; p is null if its formula is 0 / 0 (a short sequence of one symbol).
 */
export function runsTest(bits: Bits): RunsTest | null {
  const n = bits.length;
  if (n === 0) return null;
  const ones = countOnes(bits);
  const pi = ones / n;
  const tau = 2 / Math.sqrt(n);
  if (Math.abs(pi - 0.5) >= tau) return { ones, pi, tau, prerequisiteOk: false, v: null, p: 0 };
  let v = 1;
  for (let i = 1; i < n; i += 1) if (bits[i] !== bits[i - 1]) v += 1;
  const mixed = pi * (1 - pi);
  const p = mixed > 0 ? erfc(Math.abs(v - 2 * n * mixed) / (2 * Math.sqrt(2 * n) * mixed)) : null;
  return { ones, pi, tau, prerequisiteOk: true, v, p };
}

function countOnes(bits: Bits): number {
  let total = 0;
  for (const bit of bits) total += bit;
  return total;
}
