import { setImmediate as turn } from 'node:timers/promises';
import type { ByteWriter } from '../mqtt/buffers.ts';
import { PacketParser, packetTypes } from '../mqtt/packet-parser.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import { makePayloadSealing } from '../payload/path/payload-sealing.ts';
import { Bridge, type BridgeOptions } from './bridge.ts';

/** Enough for V8 to have compiled the way of a message, and for a slow device not to take seconds. */
const messages = 4_000;
const maxMs = 800;
const perTurn = 20;
const readingBytes = 64;

/**
 * Passes some thousand messages through a bridge of the same kind that is connected to nothing, before the first one
 * that counts: without it the compiler's work would be most of what a short Trial measures.
 */
export async function rehearseBridge(options: Omit<BridgeOptions, 'onRefused'>): Promise<void> {
  const { legs, clock, localCipher } = options;
  const shrink = <T extends BridgeOptions['legs']['local']>(leg: T): T => ({
    ...leg,
    spec: { ...leg.spec, readingBytes, readingsPerMessage: 1, alterEvery: 0 },
  });
  const traffic = { local: shrink(legs.local), cloud: shrink(legs.cloud) };
  const bridge = new Bridge({ ...options, legs: traffic, onRefused: () => {} });
  bridge.cloudUp({ writer: answering(bridge, traffic.cloud), grant: null, carry: () => {} });
  const { spec, runTag } = traffic.local;
  const template = makePublishTemplate(spec, runTag);
  const sealing = makePayloadSealing({ command: traffic.local, clock, payloadCipher: localCipher, template });
  const seal = sealing?.makeSeal() ?? null;
  const parser = new PacketParser(
    {
      onPublish: (publish) => bridge.local.onPublish(publish, clock.nowUs()),
      onAcknowledgement: () => {},
      onControl: () => {},
    },
    { mqtt5: spec.mqttVersion === '5.0' },
  );
  const packet = Buffer.from(template.packet);
  const deadlineMs = performance.now() + maxMs;
  for (let i = 0; i < messages && performance.now() < deadlineMs; i += 1) {
    if (spec.qos > 0) packet.writeUInt16BE(i + 1, template.packetIdAt);
    seal?.write(packet, template.payloadAt, false);
    parser.push(packet, packet.length);
    bridge.local.afterChunk();
    if (i % perTurn === 0) await turn();
  }
}

/** A cloud broker that acknowledges at once. */
function answering(bridge: Bridge, { spec, runTag }: BridgeOptions['legs']['cloud']): ByteWriter {
  const { packet, packetIdAt } = makePublishTemplate(spec, runTag);
  return {
    write(bytes, done) {
      done();
      if (spec.qos === 0) return;
      for (let at = 0; at < bytes.length; at += packet.length) {
        const id = bytes.readUInt16BE(at + packetIdAt);
        if (spec.qos === 2) bridge.cloud.onAcknowledgement(packetTypes.pubrec, id, 0);
        bridge.cloud.onAcknowledgement(spec.qos === 2 ? packetTypes.pubcomp : packetTypes.puback, id, 0);
      }
    },
  };
}
