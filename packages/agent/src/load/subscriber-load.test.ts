import { expect, it } from 'vitest';
import { type IncomingPublish, packetTypes } from '../mqtt/packet-parser.ts';
import { makeStamp, writeStamp } from '../payload/stamp.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { SubscriberLoad } from './subscriber-load.ts';
import { makePrepare } from './testing/play-trial.ts';

const payloadBytes = 100;

/** One subscription at QoS 2, with the packets it writes. */
function makeBench() {
  const spec = makeTestSpec({ qos: 2 });
  const command = makePrepare({ spec, port: 1883 }, 'subscriber');
  const load = new SubscriberLoad({ command, clock: { nowUs: () => 0 }, payloadCipher: null });
  const written: number[] = [];
  const writer = {
    write(bytes: Uint8Array, done: () => void) {
      for (let at = 0; at < bytes.length; at += 4) written.push((bytes[at] ?? 0) >> 4);
      done();
    },
  };
  const traffic = load.attach({ writer, grant: null }, 0);
  const arrive = (sequence: number, packetId: number, change: Partial<IncomingPublish> = {}) => {
    const source = new Uint8Array(payloadBytes);
    const stamp = { ...makeStamp(), runTag: command.runTag, measured: true, sequence };
    writeStamp(new DataView(source.buffer), 0, stamp);
    const publish = { source, qos: 2, duplicate: false, retain: false, packetId, topicAt: 0, topicBytes: 0 };
    const place = { payloadAt: 0, payloadBytes, retainedUntil: payloadBytes };
    traffic.onPublish?.({ ...publish, ...place, ...change } as IncomingPublish, 0);
    traffic.afterChunk?.();
  };
  return { load, traffic, arrive, written };
}

it('separately counts a message under an identifier in use, and acknowledges it as MQTT requires', () => {
  const { load, traffic, arrive, written } = makeBench();
  arrive(0, 7);
  arrive(1, 7);
  arrive(0, 7, { duplicate: true });
  expect(written).toEqual([packetTypes.pubrec, packetTypes.pubrec, packetTypes.pubrec]);
  traffic.onAcknowledgement?.(packetTypes.pubrel, 7, 0);
  arrive(2, 7);
  expect(load.figures().counters).toMatchObject({ received: 2, identifierReused: 1, duplicate: 0 });
});

it('ends the drain when every message was received or had to be discarded', async () => {
  const { load, arrive } = makeBench();
  load.start({ warmUpAtUs: 0, measureAtUs: 0, stopAtUs: 0 }, () => {});
  arrive(0, 7);
  arrive(1, 7);
  load.stop();
  expect(await load.drain(2)).toEqual({ messages: 1, timedOut: false });
});
