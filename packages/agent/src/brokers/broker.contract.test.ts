import { brokerKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { describe, test } from 'vitest';
import { expectTrial, securities } from './testing/broker-contract.ts';

describe.each(brokerKinds)('broker %s', (broker) => {
  test.each(securities)('serves a %s trial from start to end and leaves nothing', (_name, security) =>
    expectTrial(broker, 'native', security),
  );
});
