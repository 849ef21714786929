import { approximateEntropy, bitsFromBytes } from '@mqttlab/shared/statistics/randomness/randomness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { Connection, ignoreLoss } from '../mqtt/connection.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { makeBridgedCommands, makeBridgedSpec } from './testing/bridged-trial.ts';
import { type Bridged, playBridged, startBridged } from './testing/play-bridged.ts';
import { startRelay } from './testing/relay.ts';

let brokers: Bridged;
beforeAll(async () => {
  brokers = await startBridged();
});
afterAll(() => brokers.stop());

const spec = makeBridgedSpec({ readingBytes: 256, topic: 'hospital/ward-3/ecg', measureMs: 300 });
/** The readings of every message start after the stamp and are the same. */
const readings = (): Buffer => {
  const { packet, payloadAt, payloadBytes } = makePublishTemplate(spec, 0x5eed);
  return Buffer.from(packet.subarray(payloadAt + 20, payloadAt + payloadBytes));
};

/** Content types of the records of one direction (RFC 8446 section 5.1). Throws if there is an invalid record. */
function recordTypesOf(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 5 <= bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) {
    if (bytes[at + 1] !== 3) throw new Error(`no TLS record at ${at}`);
    types.push(bytes[at] ?? 0);
  }
  return types;
}

it('a capture at the cloud broker shows only TLS 1.3; the broker itself sees only ciphertext', async () => {
  const { local, cloud, certificates } = brokers;
  const relay = await startRelay(cloud.port);
  // A client of the cloud broker that may subscribe, but has no key.
  const commands = makeBridgedCommands({
    spec,
    localPort: local.port,
    cloudPorts: [cloud.port],
    certificates,
  });
  const tls = await makeClientTls(commands.subscriber);
  const payloads: Buffer[] = [];
  const reader = new Connection({
    spec: commands.subscriber.spec,
    session: { clientId: 'curious' },
    broker: commands.subscriber.broker,
    tls,
    clock: new MonotonicClock().calibrate(),
    readBuffer: Buffer.alloc(65_536),
    listener: ignoreLoss,
  });
  reader.setTraffic({
    onPublish: ({ source, payloadAt, payloadBytes }) =>
      payloads.push(Buffer.from(source.subarray(payloadAt, payloadAt + payloadBytes))),
    onAcknowledgement: () => {},
    afterChunk: () => {},
  });
  try {
    await reader.openTcp();
    await reader.openTls();
    await reader.openMqtt();
    await reader.subscribe();
    const trial = await playBridged(brokers, { spec, cloudPorts: [relay.port] });
    const sent = trial.publisher.counters?.sent ?? 0;
    expect(trial.subscriber.counters?.received).toBe(sent);
    await expect.poll(() => payloads.length).toBeGreaterThanOrEqual(sent);

    const [out, back] = [Buffer.concat(relay.seen.toBroker), Buffer.concat(relay.seen.fromBroker)];
    for (const bytes of [out, back]) {
      const [first, ...others] = recordTypesOf(bytes);
      // Only ClientHello and ServerHello are unencrypted; the certificate and all else is encrypted.
      expect(first).toBe(22);
      expect(new Set(others.filter((type) => type !== 20))).toEqual(new Set([23]));
      expect(bytes.includes(readings())).toBe(false);
      expect(bytes.includes(spec.topic)).toBe(false);
    }
    for (const payload of payloads) expect(payload.includes(readings().subarray(0, 16))).toBe(false);
    const ps = payloads.map((payload) => approximateEntropy(bitsFromBytes(payload.subarray(12)), 2)?.p ?? 0);
    expect(ps.filter((p) => p >= 0.01).length / ps.length).toBeGreaterThan(0.9);
  } finally {
    reader.transport.destroy();
    relay.stop();
  }
});
