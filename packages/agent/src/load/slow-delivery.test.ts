import { expect, it } from 'vitest';
import { makeTestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { startOfferedBroker } from './testing/offered-broker.ts';
import { playTrial } from './testing/play-trial.ts';
import { tls13 } from './testing/workload-kinds.ts';

// Mosquitto 2.0.11 writes about 4 kB of such a message to a WebSocket every 100 ms.
it('waits at QoS 0 for messages that the broker delivers in pieces, each slower than the silence that ends the drain', async () => {
  const certificates = makeTestCertificates('ECDSA P-256');
  const { authority, serverName } = certificates;
  const spec = makeTestSpec({
    ...tls13,
    broker: 'mosquitto',
    mqttVersion: '5.0',
    transport: 'websocket',
    qos: 0,
    readingBytes: 64_000,
    readingsPerSecond: 5,
    warmUpMs: 100,
    measureMs: 1000,
    drainTimeoutMs: 120_000,
    topic: 'slow delivery',
  });
  const port = await startOfferedBroker('mosquitto', { spec, certificates });
  const trial = await playTrial({ spec, port, authority, serverName });
  expect(trial.failures).toEqual([]);
  expect(trial.sent.messages).toBe(5);
  expect(trial.subscriber.counters).toMatchObject({ received: 5, duplicate: 0 });
});
