import { makeEmptyDraft } from '@mqttlab/shared/catalogue/tour';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Preflight } from '@mqttlab/shared/messages/http';

type Check = Preflight['checks'][number];

/** One suite for each version; the second is for brokers with an RSA certificate. */
const tlsSuites = [
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
] as const;

/** What the pre-flight has to connect once for every way into this broker. */
export function makeTestDraft(testbedId: string, broker: ExternalBroker): ExperimentDraft {
  const { port, tlsPort, websocketPort } = broker;
  const overTcp = port !== null || tlsPort !== null;
  return {
    ...makeEmptyDraft(testbedId, 1),
    name: `Is ${broker.label} there?`,
    factors: {
      broker: ['external'],
      security: [
        ...(port !== null || websocketPort !== null ? ['plain'] : []),
        ...(tlsPort === null ? [] : ['TLS 1.2', 'TLS 1.3']),
      ],
      cipherSuite: [...tlsSuites],
      // What every broker has, and the curve of the usual certificate.
      group: ['P-256'],
      transport: overTcp ? ['tcp'] : ['websocket'],
      qos: [0],
    },
    repetitions: 1,
  };
}

/** One suite of each protocol is enough; where none works, each reason once. */
export function bestOfEach(checks: readonly Check[]): Check[] {
  const byProtocol = Map.groupBy(checks, ({ label }) => label.split(/[,:]/)[0]);
  return [...byProtocol.values()].flatMap((tried) => {
    const working = tried.filter(({ status }) => status === 'passed').slice(0, 1);
    if (working.length > 0) return working;
    return tried.filter(
      ({ evidence }, index) => tried.findIndex((other) => other.evidence === evidence) === index,
    );
  });
}
