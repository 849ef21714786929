import { expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { startOfferedBroker } from './testing/offered-broker.ts';
import { playTrial } from './testing/play-trial.ts';

const short = { readingsPerSecond: 400, warmUpMs: 50, measureMs: 200, window: 1_000 };

it('the embedded broker refuses MQTT 5.0 with a named failure', async () => {
  const spec = makeTestSpec({ ...short, mqttVersion: '5.0' });
  const port = await startOfferedBroker('embedded', { spec });
  await expect(playTrial({ spec, port })).rejects.toMatchObject({
    report: { code: 'connack-refused', message: expect.stringContaining('refused MQTT 5.0: ') },
  });
});

it.each(['tcp', 'websocket'] as const)(
  'subscribers of a shared subscription over %s together receive each message once',
  async (transport) => {
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
  },
);
