import type { MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { expectLossless } from './testing/expect-lossless.ts';
import { type OfferedKind, startOfferedBroker } from './testing/offered-broker.ts';
import { playTrial } from './testing/play-trial.ts';

const short = { readingsPerSecond: 400, warmUpMs: 50, measureMs: 200, window: 1_000 };

const spoken: readonly [OfferedKind, MqttVersion][] = [
  ['mosquitto', '3.1'],
  ['mosquitto', '3.1.1'],
  ['mosquitto', '5.0'],
  ['embedded', '3.1'],
  ['embedded', '3.1.1'],
];

describe.each(['tcp', 'websocket'] as const)('over %s', (transport) => {
  it.each(spoken)('%s speaks MQTT %s', async (kind, mqttVersion) => {
    const spec = makeTestSpec({
      ...short,
      mqttVersion,
      transport,
      qos: 2,
      subscribers: 2,
      topic: 'versions',
    });
    const port = await startOfferedBroker(kind, { spec });
    const trial = await playTrial({ spec, port });
    expectLossless(spec, trial);
    expect(trial.subscriber.negotiated).toMatchObject({ mqttVersion, grantedQos: 2 });
  });

  it('the embedded broker refuses MQTT 5.0 by name', async () => {
    const spec = makeTestSpec({ ...short, mqttVersion: '5.0', transport });
    const port = await startOfferedBroker('embedded', { spec });
    await expect(playTrial({ spec, port })).rejects.toMatchObject({
      failure: { code: 'connack-refused', message: expect.stringContaining('refused MQTT 5.0: ') },
    });
  });

  it('subscribers that share a subscription get each message once between them', async () => {
    const spec = makeTestSpec({
      ...short,
      mqttVersion: '5.0',
      transport,
      publishers: 2,
      subscribers: 4,
      sharedSubscription: true,
      topic: 'shared',
    });
    const port = await startOfferedBroker('mosquitto', { spec });
    const trial = await playTrial({ spec, port });
    expect(trial.sent.messages).toBe(160);
    expect(trial.received).toEqual({ messages: 160, timedOut: false });
    expect(trial.subscriber.counters).toMatchObject({ received: 160, duplicate: 0 });
    expect(trial.subscriber.latency?.count).toBe(160);
  });
});
