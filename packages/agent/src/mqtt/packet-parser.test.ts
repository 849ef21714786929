import { Failure } from '@mqttlab/shared/kit/failure';
import { fc } from '@mqttlab/shared/testing/properties';
import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { type IncomingPublish, PacketParser, type PacketSink } from './packet-parser.ts';

type Protocol = 3 | 4 | 5;

/** Records the parser's calls, with the retained part of payloads. */
class Notes implements PacketSink {
  readonly lines: string[] = [];

  onPublish(publish: IncomingPublish): void {
    const { source, payloadAt, payloadBytes, retainedUntil } = publish;
    const kept = Math.min(payloadAt + payloadBytes, retainedUntil, payloadAt + 64);
    const beginning = Buffer.from(source.subarray(payloadAt, kept)).toString('hex');
    const { qos, duplicate, retain, packetId } = publish;
    this.lines.push(`publish ${qos} ${duplicate} ${retain} ${packetId} ${payloadBytes} ${beginning}`);
  }

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    this.lines.push(`acknowledgement ${type} ${packetId} ${reasonCode}`);
  }

  onControl(type: number, packet: Uint8Array): void {
    this.lines.push(`control ${type} ${Buffer.from(packet).toString('hex')}`);
  }
}

const packetId = fc.integer({ min: 1, max: 65_535 });
const qos = fc.constantFrom(0, 1, 2);

function packetOf(protocol: Protocol): fc.Arbitrary<Buffer> {
  const encode = (packet: Parameters<typeof generate>[0]) => generate(packet, { protocolVersion: protocol });
  const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 16_000, max: 40_000 }));
  const properties = fc.option(
    fc.record({ responseTopic: fc.constant('a/b'), payloadFormatIndicator: fc.boolean() }),
  );
  const publish = fc
    .tuple(fc.record({ qos, dup: fc.boolean(), retain: fc.boolean() }), packetId, size, properties)
    .map(([flags, messageId, bytes, extra]) =>
      encode({
        cmd: 'publish',
        ...flags,
        qos: flags.qos as 0 | 1 | 2,
        dup: flags.dup && flags.qos > 0,
        messageId,
        topic: 'lab/topic',
        payload: Buffer.alloc(bytes, messageId & 0xff),
        ...(protocol === 5 && extra !== null ? { properties: extra } : {}),
      }),
    );
  const acknowledgement = fc
    .tuple(fc.constantFrom('puback', 'pubrec', 'pubrel', 'pubcomp'), packetId, fc.constantFrom(0, 16, 0x97))
    .map(([cmd, messageId, reasonCode]) =>
      encode({
        cmd: cmd as 'puback',
        messageId,
        ...(protocol === 5 ? { reasonCode: cmd === 'puback' ? reasonCode : 0 } : {}),
      }),
    );
  const control = fc.constantFrom(
    encode({ cmd: 'connack', returnCode: 0, reasonCode: 0, sessionPresent: false }),
    encode({ cmd: 'suback', messageId: 1, granted: [1] }),
    encode({ cmd: 'pingresp' }),
  );
  return fc.oneof(publish, acknowledgement, control);
}

function parse(protocol: Protocol, chunks: readonly Uint8Array[]): string[] {
  const notes = new Notes();
  const parser = new PacketParser(notes, { mqtt5: protocol === 5 });
  for (const chunk of chunks) {
    // Into a reused buffer with garbage at the end, as a socket reads.
    const shared = Buffer.alloc(chunk.length + 7, 0x30);
    shared.set(chunk);
    parser.push(shared, chunk.length);
    shared.fill(0xff);
  }
  return notes.lines;
}

function cut(stream: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [
    0,
    ...places.map((place) => place % (stream.length + 1)).sort((a, b) => a - b),
    stream.length,
  ];
  return cuts.slice(1).map((until, i) => stream.subarray(cuts[i], until));
}

describe('PacketParser', () => {
  it.each([3, 4, 5] as const)('finds the same packets however the stream is split (level %i)', (protocol) => {
    fc.assert(
      fc.property(
        fc.array(packetOf(protocol), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        (packets, places) => {
          const whole = packets.flatMap((packet) => parse(protocol, [packet]));
          expect(whole).toHaveLength(packets.length);
          expect(parse(protocol, cut(Buffer.concat(packets), places))).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('finds them when every byte arrives separately', () => {
    const packets = fc.sample(packetOf(5), { numRuns: 8, seed: 7 });
    const stream = Buffer.concat(packets);
    const bytes = Array.from(stream, (byte) => Buffer.from([byte]));
    expect(parse(5, bytes)).toEqual(parse(5, [stream]));
  });

  it('reads the fields of a PUBLISH', () => {
    const packet = generate({
      cmd: 'publish',
      topic: 't',
      payload: 'xyz',
      qos: 2,
      dup: true,
      retain: true,
      messageId: 513,
    });
    expect(parse(4, [packet])).toEqual(['publish 2 true true 513 3 78797a']);
  });

  it('reads reason codes of MQTT 5 acknowledgements', () => {
    expect(parse(5, [Buffer.from([0x40, 3, 1, 2, 0x97])])).toEqual(['acknowledgement 4 258 151']);
    expect(parse(5, [Buffer.from([0x70, 2, 1, 2])])).toEqual(['acknowledgement 7 258 0']);
  });

  it.each([
    ['a length of five bytes', [0x30, 0x80, 0x80, 0x80, 0x80, 1]],
    ['QoS 3', [0x36, 5, 0, 1, 0x74, 0, 1]],
    ['a topic longer than its packet', [0x30, 4, 0, 9, 0x74, 0x74]],
    ['an acknowledgement without identifier', [0x40, 1, 0]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => parse(4, [Buffer.from(bytes)])).toThrow(Failure);
  });
});
