import { describe, it } from 'vitest';
import { commonKinds, expectWorkload, tls13 } from './testing/workload-kinds.ts';

/** One of each broker, version, QoS, transport and security; all combinations are in the real-time tier. */
const cases = [
  { broker: 'mosquitto', mqttVersion: '5.0', qos: 0 },
  { broker: 'embedded', mqttVersion: '3.1.1', ...tls13 },
  { broker: 'mosquitto', mqttVersion: '5.0', qos: 2, transport: 'websocket', ...tls13 },
] as const;

describe.each(commonKinds)('the workload %s', (workload) => {
  it.each(cases)('has the expected result: %o', (level) => expectWorkload(workload, level));
});
