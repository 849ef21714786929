import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { brokerServerName, type Certificates } from '../pki/certificates.ts';
import type { BrokerStore } from '../store/settings/broker-store.ts';
import { RunError } from './to-failure.ts';

export interface BrokerAccess {
  /** null where the testbed starts the broker itself. */
  external: ExternalBroker | null;
  /** PEM to check its certificate with; null when plain, and where the certificate issued brings it along. */
  authority: string | null;
  serverName: string;
  credentials: { username: string; password: string } | null;
}

/** How clients get at the broker of a Trial. Throws RunError where an external one is asked for and none is set. */
export async function findBrokerAccess(
  dependencies: { certificates: Certificates; externalBrokers: Pick<BrokerStore, 'find' | 'credentials'> },
  { testbedId, spec }: { testbedId: string; spec: TrialSpec },
): Promise<BrokerAccess> {
  if (spec.broker !== 'external') {
    return { external: null, authority: null, serverName: brokerServerName, credentials: null };
  }
  const external = dependencies.externalBrokers.find(testbedId);
  if (external === null) {
    throw new RunError({
      code: 'no-external-broker',
      message: 'This testbed has no external broker any more.',
      remedy: 'Set it on the Devices page again, then retry the run.',
    });
  }
  return {
    external,
    authority:
      spec.security === 'plain'
        ? null
        : (external.authority ?? (await ownAuthority(dependencies, testbedId))),
    serverName: external.serverName ?? external.address,
    credentials: dependencies.externalBrokers.credentials(testbedId),
  };
}

async function ownAuthority(
  { certificates }: { certificates: Certificates },
  testbedId: string,
): Promise<string> {
  const { authority } = await certificates.forBroker({
    testbedId,
    kind: 'ECDSA P-256',
    chainLength: 1,
    addresses: [],
  });
  return authority;
}
