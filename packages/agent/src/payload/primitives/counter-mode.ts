const blockBytes = 16;

/**
 * Counter mode (NIST SP 800-38A section 6.5) around a block cipher of ours. The counter block is a nonce of 12 bytes
 * and a 32-bit block counter from 1, big endian, as in RFC 3686; a block is four little-endian halves.
 */
export function makeCounterMode(encryptBlock: (block: Int32Array) => void) {
  const block = new Int32Array(4);
  const keystream = new DataView(block.buffer);
  const start = new DataView(new ArrayBuffer(12));

  return (nonce: Uint8Array, input: Uint8Array, output: Uint8Array): void => {
    for (let i = 0; i < 12; i += 1) start.setUint8(i, nonce[i]!);
    const first = start.getInt32(0, true);
    const second = start.getInt32(4, true);
    const third = start.getInt32(8, true);
    const from = new DataView(input.buffer, input.byteOffset, input.byteLength);
    const to = new DataView(output.buffer, output.byteOffset, output.byteLength);
    const whole = input.length - (input.length % blockBytes);
    let counter = 1;
    for (let at = 0; at < input.length; at += blockBytes) {
      block[0] = first;
      block[1] = second;
      block[2] = third;
      block[3] = swapBytes(counter);
      counter += 1;
      encryptBlock(block);
      if (at < whole) {
        for (let i = 0; i < 4; i += 1)
          to.setInt32(at + 4 * i, from.getInt32(at + 4 * i, true) ^ block[i]!, true);
      } else {
        for (let i = 0; i < 4; i += 1) keystream.setInt32(4 * i, block[i]!, true);
        for (let i = at; i < input.length; i += 1) output[i] = input[i]! ^ keystream.getUint8(i - at);
      }
    }
  };
}

function swapBytes(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
