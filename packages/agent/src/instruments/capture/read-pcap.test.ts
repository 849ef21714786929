import { expect, test } from 'vitest';
import { readPcap, TcpStream } from './read-pcap.ts';

/** 127.0.0.1:40000 to 127.0.0.1:1883 on "any", in the form that tcpdump 4.99 writes (LINUX_SLL2): made here, so that each length is known. */
const fileHeader = 'd4c3b2a1020004000000000000000000ffff000014010000';
const sll2 = '0800000000000001030400060000000000000000';
const ip = (bytes: number) => `4500${hex16(bytes)}00014000400600007f0000017f000001`;
const hex16 = (value: number) => value.toString(16).padStart(4, '0');
const tcp = (sequence: number, flags: string) =>
  `9c40075b${sequence.toString(16).padStart(8, '0')}0000000050${flags}ffff00000000`;
const connect = '100c00044d5154540402003c0000';

function packet(payload: string, { sequence = 1, flags = '18', captured = Number.POSITIVE_INFINITY } = {}) {
  const bytes = payload.length / 2;
  const whole = Buffer.from(sll2 + ip(40 + bytes) + tcp(sequence, flags) + payload, 'hex');
  const kept = whole.subarray(0, captured);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(1_700_000_000, 0);
  header.writeUInt32LE(250_000, 4);
  header.writeUInt32LE(kept.length, 8);
  header.writeUInt32LE(whole.length, 12);
  return Buffer.concat([header, kept]);
}

const fileOf = (...packets: readonly Buffer[]) => Buffer.concat([Buffer.from(fileHeader, 'hex'), ...packets]);

test('a file of packets is read, complete or truncated', () => {
  const file = fileOf(packet('', { flags: '02' }), packet(connect, { sequence: 2 }));
  const read = readPcap(file);
  expect(read).toMatchObject({ packets: 2, isCut: false });
  expect(read.segments[1]).toMatchObject({
    atUs: 1_700_000_000_250_000,
    from: { address: '7f000001', port: 40_000 },
    to: { address: '7f000001', port: 1883 },
    sequence: 2,
    payloadBytes: 14,
  });
  expect(read.segments[1]?.payload.toString('hex')).toBe(connect);
  for (let length = 25; length < file.length; length += 1) {
    const cut = readPcap(file.subarray(0, length));
    expect(cut.segments.length, `${length} bytes`).toBeLessThanOrEqual(1);
  }
  expect(readPcap(file.subarray(0, file.length - 1)).isCut).toBe(true);
  expect(() => readPcap(Buffer.from('no pcap file at all, but long enough'))).toThrow('not a pcap file');
});

test('a stream is put in order, a repeated segment counts once, and a missing one ends it', () => {
  const read = (...packets: readonly Buffer[]) => {
    let text = '';
    const stream = new TcpStream({ onBytes: (bytes) => (text += bytes.toString('hex')) });
    for (const segment of readPcap(fileOf(packet('', { flags: '02', sequence: 0xffffffff }), ...packets))
      .segments)
      stream.add(segment);
    return { text, bytes: stream.bytes, isWhole: stream.isWhole };
  };
  // Sequence numbers wrap at 2^32.
  const [first, second, third] = [
    packet('aabb', { sequence: 0 }),
    packet('ccdd', { sequence: 2 }),
    packet('eeff', { sequence: 4 }),
  ];
  const whole = { text: 'aabbccddeeff', bytes: 6, isWhole: true };
  expect(read(first, second, third)).toEqual(whole);
  expect(read(first, third, second, second, first)).toEqual(whole);
  expect(read(first, third)).toEqual({ text: 'aabb', bytes: 6, isWhole: false });
  const short = packet('ccdd', { sequence: 2, captured: 61 });
  expect(read(first, short, third)).toEqual({ text: 'aabbcc', bytes: 6, isWhole: false });
});
