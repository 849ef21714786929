import { describe, it } from 'vitest';
import { commonKinds, expectWorkload, tls12, tls13 } from './testing/workload-kinds.ts';

const brokers = [
  { broker: 'mosquitto', mqttVersion: '5.0' },
  { broker: 'embedded', mqttVersion: '3.1.1' },
] as const;
const levels = [
  { name: 'plain', level: {} },
  { name: 'TLS 1.3', level: tls13 },
  { name: 'TLS 1.2', level: tls12 },
  { name: 'WebSocket', level: { transport: 'websocket' } },
  { name: 'WebSocket over TLS 1.3', level: { transport: 'websocket', ...tls13 } },
] as const;
const cases = brokers.flatMap((broker) =>
  levels.map(({ name, level }) => ({ where: `${broker.broker}, ${name}`, level: { ...broker, ...level } })),
);

describe.each(commonKinds)('the workload %s', (workload) => {
  it.each(cases)('has the expected result ($where)', ({ level }) => expectWorkload(workload, level));
});
