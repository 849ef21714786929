import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { onTestFinished } from 'vitest';
import { brokerProbes } from '../../brokers/list.ts';
import { ChildRecords } from '../../processes/child-records.ts';
import type { TestCertificates } from '../../testing/certificates.ts';
import { testEntry } from '../../testing/entry.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import { probeNodeTls } from '../../tls/tls-library.ts';

export type OfferedKind = keyof typeof brokerProbes;

const nodeTls = probeNodeTls();

/** The agent's own broker, configured for this trial as in a run; stopped with the test. Resolves with its port. */
export async function startOfferedBroker(
  kind: OfferedKind,
  {
    spec,
    certificates,
    clientAuthority = null,
  }: { spec: TrialSpec; certificates?: TestCertificates; clientAuthority?: string | null },
): Promise<number> {
  const offer = await brokerProbes[kind]({ entry: testEntry, nodeTls });
  if (offer === null) throw new Error(`${kind} is not on this machine`);
  const folder = makeTemporaryFolder();
  const broker = offer.make({
    spec,
    tls:
      spec.security === 'plain' || certificates === undefined ? null : { ...certificates, clientAuthority },
    address: '127.0.0.1',
    folder,
    records: new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} }),
    onLog: () => {},
  });
  onTestFinished(() => broker.stop());
  return (await broker.start()).port;
}
