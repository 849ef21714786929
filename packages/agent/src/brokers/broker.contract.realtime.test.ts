import { brokerKinds, clientEngines } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, test } from 'vitest';
import { expectTrial, securities } from './testing/broker-contract.ts';

const others = clientEngines.filter((client) => client !== 'native');

describe.each(brokerKinds)('broker %s', (broker) => {
  describe.each(others)('with %s', (client) => {
    test.each(securities)('serves a %s trial from start to end and leaves nothing', (_name, security) =>
      expectTrial(broker, client, security),
    );
  });
});
