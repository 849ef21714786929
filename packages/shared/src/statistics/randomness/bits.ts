/** Bits as 0 and 1, one per entry, most significant bit of a byte first. */
export type Bits = Uint8Array;

export function bitsFromBytes(bytes: ArrayLike<number>): Bits {
  const bits = new Uint8Array(bytes.length * 8);
  for (let i = 0; i < bits.length; i += 1) bits[i] = (bytes[i >> 3]! >> (7 - (i & 7))) & 1;
  return bits;
}

/** Bits of a string of 0 and 1. Throws RangeError on anything else. */
export function parseBits(text: string): Bits {
  if (!/^[01]*$/.test(text)) throw new RangeError('a bit string must hold only 0 and 1');
  return Uint8Array.from(text, Number);
}

/** Bits of hexadecimal digits. Throws RangeError on anything else. */
export function parseHexBits(text: string): Bits {
  if (!/^[0-9a-f]*$/i.test(text)) throw new RangeError('a hex string must hold only hexadecimal digits');
  return parseBits(
    Array.from(text, (digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join(''),
  );
}
