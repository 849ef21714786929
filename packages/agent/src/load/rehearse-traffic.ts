import { setImmediate as turn } from 'node:timers/promises';
import type { PrepareClient } from '@mqttlab/shared/protocol/agent';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { LoadedPayloadCipher } from './payload/payload-path.ts';
import { makePayloadSealing } from './payload/payload-sealing.ts';
import { makePublishTemplate } from './publish-template.ts';
import { RehearsalBroker, rehearsalTls } from './rehearsal-broker.ts';
import type { RoleLoad } from './role-load.ts';
import type { RoleLoadOptions } from './role-load-options.ts';
import { makeStamp, writeStamp } from './stamp.ts';

/** Enough repetitions for V8 to have compiled the way of a message to its best. */
const messages = 6_000;
/** Fast, but slow enough that each message is a write of its own, as at the rates of a Trial. */
const readingsPerSecond = 20_000;
const readingBytes = 64;

export interface TrafficRehearsal {
  command: PrepareClient;
  /** Of the connections that count. */
  connection: Pick<ConnectionOptions, 'clock' | 'readBuffer'>;
  payloadCipher: LoadedPayloadCipher | null;
  makeLoad: (command: PrepareClient) => RoleLoad;
}

/**
 * Sends or receives some thousand messages within this process before the first one that counts. Without it the
 * CPU time of a message halves in the course of the first seconds, and the first repetitions pay for the compiler.
 */
export async function rehearseTraffic(rehearsal: TrafficRehearsal): Promise<void> {
  const { command, connection, payloadCipher, makeLoad } = rehearsal;
  const spec = {
    ...command.spec,
    // The broker of the rehearsal knows neither WebSocket nor shared subscriptions, and messages go without gaps.
    workload: 'stream' as const,
    connectionUse: 'kept' as const,
    transport: 'tcp' as const,
    sharedSubscription: false,
    readingBytes,
    readingsPerMessage: 1,
    publishers: 1,
    subscribers: 1,
    readingsPerSecond,
  };
  const broker = new RehearsalBroker(spec);
  try {
    const port = await broker.start();
    const practice = new Connection({
      clock: connection.clock,
      readBuffer: connection.readBuffer,
      spec,
      clientId: 'rehearsal',
      broker: { address: '127.0.0.1', port },
      tls: spec.security === 'plain' ? null : rehearsalTls,
      onLost: () => {},
    });
    const load = makeLoad({ ...command, spec, share: null });
    practice.carry(load.attach(practice, 0));
    await practice.openTcp();
    if (spec.security !== 'plain') await practice.openTls();
    await practice.openMqtt();
    if (command.role === 'subscriber') {
      await practice.subscribe();
      await feed(broker, { command: { ...command, spec }, clock: connection.clock, payloadCipher });
    } else {
      await send(load, connection.clock.nowUs());
    }
    load.stop();
    await practice.close();
  } finally {
    broker.stop();
  }
}

async function send(load: RoleLoad, nowUs: number): Promise<void> {
  const stopAtUs = nowUs + (messages / readingsPerSecond) * 1e6;
  load.start({ warmUpAtUs: nowUs, measureAtUs: nowUs, stopAtUs }, () => {});
  await load.drain(null);
}

/** One packet in each turn of the event loop, so that each is read by itself. */
async function feed(broker: RehearsalBroker, options: RoleLoadOptions): Promise<void> {
  const { spec, runTag } = options.command;
  const template = makePublishTemplate(spec, runTag);
  const seal = makePayloadSealing({ ...options, template })?.makeSeal() ?? null;
  const stamp = { ...makeStamp(), runTag, measured: true };
  for (let i = 0; i < messages; i += 1) {
    const packet = Buffer.from(template.packet);
    if (spec.qos > 0) packet.writeUInt16BE((i % 65_535) + 1, template.packetIdAt);
    stamp.sequence = i;
    if (seal === null) {
      writeStamp(new DataView(packet.buffer, packet.byteOffset, packet.length), template.payloadAt, stamp);
    } else {
      writeStamp(seal.view, 0, stamp);
      seal.write(packet, template.payloadAt, true);
    }
    broker.feed(packet);
    await turn();
  }
}
