import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { describe, expect, it } from 'vitest';
import { type IncomingPublish, PacketParser, packetTypes } from '../mqtt/packet-parser.ts';
import { BufferPool, makePublishTemplate } from '../mqtt/packets.ts';
import { makeStamp, readStamp, type Stamp } from '../payload/stamp.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { SentWindow } from './counting/throughput.ts';
import { Publisher, packetsPerBuffer, type SendingTotals } from './publisher.ts';
import { makePrepare } from './testing/play-trial.ts';

/** A publisher that writes to memory; the parser reads its output back. */
function makeBench(qos: 0 | 1 | 2, readingBytes = 100) {
  const spec = makeTestSpec({ qos, readingBytes, mqttVersion: '5.0' });
  const template = makePublishTemplate(spec, 1);
  const packetBytes = template.packet.length;
  const sent: (Stamp & { packetId: number })[] = [];
  const replies: string[] = [];
  const writes: (() => void)[] = [];
  const freed: number[] = [];
  const clock = { us: 0, nowUs: () => clock.us };
  const at = (us: number): void => {
    clock.us = us;
    publisher.pump(us);
  };
  const write = (): void => {
    for (const done of writes.splice(0)) done();
  };
  const parser = new PacketParser(
    {
      onPublish: ({ source, payloadAt, packetId }: IncomingPublish) => {
        const stamp = makeStamp();
        const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
        expect(readStamp(view, payloadAt, stamp)).toBe(true);
        sent.push({ ...stamp, packetId });
      },
      onAcknowledgement: (type, packetId) => replies.push(`${type}:${packetId}`),
      onControl: () => {},
    },
    { mqtt5: true },
  );
  const totals: SendingTotals = {
    sent: 0,
    all: 0,
    acknowledged: 0,
    replies: 0,
    unwritten: 0,
    late: 0,
    payloadBytes: 0,
    refused: 0,
    window: new SentWindow(),
    lateness: new LatencyHistogram(),
    exchange: new LatencyHistogram(),
  };
  const publisher = new Publisher({
    load: {
      command: {
        ...makePrepare({ spec, port: 1, offsetUs: 1e6 }, 'publisher'),
        runTag: 99,
        share: { index: 1, of: 2, first: 4, publishers: 8 },
      },
      clock,
      payloadCipher: null,
    },
    index: 3,
    template,
    seal: null,
    pool: new BufferPool<Publisher>({
      bufferBytes: packetBytes * packetsPerBuffer(packetBytes),
      fill: (bytes) => {
        for (let at = 0; at < bytes.length; at += packetBytes) bytes.set(template.packet, at);
      },
      onReturned: (owner) => owner.onWritten(),
    }),
    to: {
      write: (bytes, done) => {
        parser.push(Buffer.from(bytes), bytes.length);
        writes.push(done);
      },
    },
    totals,
    onFree: () => freed.push(1),
  });
  return { publisher, totals, sent, replies, writes, freed, clock, at, write };
}

/** One message every 10 µs, from 2.5 µs on: the last of four publishers. */
const schedule = { startUs: -5, periodUs: 10, publishers: 4 };
const endless = { schedule, firstMeasured: 0, end: 1_000_000, window: 1_000 };

describe('Publisher', () => {
  it('sends due messages, numbered and stamped with its due time', () => {
    const { publisher, at, sent, write, totals } = makeBench(0);
    publisher.open({ ...endless, firstMeasured: 2, end: 4 });
    at(2);
    expect(sent).toEqual([]);
    at(2.5);
    expect(sent).toHaveLength(1);
    write();
    at(1_000);
    expect(sent.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3]);
    expect(sent.map(({ measured }) => measured)).toEqual([false, false, true, true]);
    expect(sent.map(({ intendedUs }) => intendedUs - 1e6)).toEqual([2.5, 12.5, 22.5, 32.5]);
    expect(sent[0]).toMatchObject({ runTag: 99, publisher: 7, packetId: 0 });
    expect(totals).toMatchObject({ all: 4, sent: 2, payloadBytes: 200, late: 0 });
  });

  it('measures lateness from the due time, including messages that waited', () => {
    const { publisher, at, totals } = makeBench(0);
    publisher.open({ ...endless, end: 3 });
    at(1_015);
    expect(totals.lateness.count).toBe(3);
    expect([totals.lateness.minUs, totals.lateness.maxUs]).toEqual([992.5, 1_012.5]);
    expect(totals.late).toBe(2);
  });

  it('has at most a window of messages in flight, and continues when one is acknowledged', () => {
    const { publisher, at, sent, write, freed, totals } = makeBench(1);
    publisher.open({ ...endless, window: 5 });
    at(1_000);
    expect(sent).toHaveLength(5);
    expect(publisher.blocked).toBe(true);
    write();
    freed.length = 0;
    publisher.onAcknowledgement(packetTypes.puback, sent[1]!.packetId, 0);
    publisher.onAcknowledgement(packetTypes.puback, sent[1]!.packetId, 0);
    publisher.afterChunk();
    expect(freed).toHaveLength(1);
    at(1_000);
    expect(sent).toHaveLength(6);
    expect(totals.acknowledged).toBe(1);
    expect(publisher.inFlight).toBe(5);
  });

  it('on a schedule writes nothing before the previous write has finished, so that lateness is accurate', () => {
    const { publisher, at, sent, writes, freed, totals } = makeBench(0, 70_000);
    publisher.open(endless);
    at(100);
    expect([sent.length, writes.length, publisher.blocked]).toEqual([1, 1, true]);
    expect(totals.unwritten).toBe(1);
    writes[0]?.();
    expect(freed).toHaveLength(1);
    expect(totals.unwritten).toBe(0);
    at(5_000);
    expect(sent.map(({ sequence }) => sequence)).toEqual([0, 1]);
    expect(totals.lateness.maxUs).toBe(4_987.5);
  });

  it('as fast as possible keeps one write queued after the one in the kernel', () => {
    const { publisher, at, sent, writes, freed } = makeBench(0, 70_000);
    publisher.openUnpaced(1);
    at(100);
    expect([sent.length, writes.length, publisher.blocked]).toEqual([2, 2, true]);
    writes[0]?.();
    expect(freed).toHaveLength(1);
    at(200);
    expect(sent.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
  });

  it('performs both steps of QoS 2', () => {
    const { publisher, at, sent, replies, totals } = makeBench(2);
    publisher.open({ ...endless, end: 1 });
    at(100);
    const id = sent[0]!.packetId;
    publisher.onAcknowledgement(packetTypes.pubrec, id, 0);
    publisher.afterChunk();
    expect(replies).toEqual([`${packetTypes.pubrel}:${id}`]);
    expect(totals.acknowledged).toBe(0);
    publisher.onAcknowledgement(packetTypes.pubcomp, id, 0);
    expect([totals.acknowledged, publisher.inFlight]).toEqual([1, 0]);
  });

  it('counts a refused message as refused, not as acknowledged', () => {
    const { publisher, at, sent, replies, totals } = makeBench(2);
    publisher.open({ ...endless, end: 2 });
    at(100);
    publisher.onAcknowledgement(packetTypes.pubrec, sent[0]!.packetId, 0x97);
    publisher.afterChunk();
    expect(replies).toEqual([]);
    expect(totals).toMatchObject({ refused: 1, acknowledged: 0 });
    expect(publisher.inFlight).toBe(1);
  });

  it('reports how many measured messages were due but never sent', () => {
    const { publisher, at } = makeBench(1);
    publisher.open({ ...endless, firstMeasured: 2, end: 50, window: 10 });
    at(1_000);
    expect(publisher.close()).toBe(40);
    at(2_000);
    expect(publisher.close()).toBe(0);
  });

  it('at the end sends all due messages, unless the socket is full', () => {
    const late = makeBench(0, 30_000);
    late.publisher.open({ ...endless, end: 20 });
    late.clock.us = 5_000;
    late.publisher.pumpLast(5_000);
    expect(late.sent).toHaveLength(20);
    const stuck = makeBench(0, 30_000);
    stuck.publisher.open({ ...endless, end: 20 });
    stuck.at(100);
    const { length } = stuck.sent;
    stuck.publisher.pumpLast(5_000);
    expect(stuck.sent).toHaveLength(length);
    expect(stuck.publisher.close()).toBe(20 - length);
  });

  it('without a schedule sends all messages that the window allows, stamped with the time of writing', () => {
    const { publisher, at, sent, totals } = makeBench(1);
    publisher.openUnpaced(4);
    at(500);
    publisher.measureFromNow();
    for (const { packetId } of sent.slice()) publisher.onAcknowledgement(packetTypes.puback, packetId, 0);
    at(700);
    expect(sent.map(({ measured }) => measured)).toEqual([...Array(4).fill(false), ...Array(4).fill(true)]);
    expect(sent[7]!.intendedUs).toBe(1e6 + 700);
    expect(totals).toMatchObject({ sent: 4, acknowledged: 0 });
    expect(totals.lateness.count).toBe(0);
    expect(publisher.close()).toBe(0);
  });
});
