import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PrepareBroker, PrepareClient } from '@mqttlab/shared/messages/agent';
import type { Certificates } from '../pki/certificates.ts';

export interface RunCertificates {
  /** What the broker shows and asks for; null when plain, and where somebody else runs the broker. */
  broker: PrepareBroker['tls'];
  /** PEM to check the broker with. */
  authority: string | null;
  /** What clients show; null unless under mutual TLS. */
  client: PrepareClient['certificate'];
}

/** The certificates of one Run, of its kind and chain length; the first of a kind may take seconds to make. */
export async function issueRunCertificates(
  certificates: Certificates,
  { testbedId, spec, addresses }: { testbedId: string; spec: TrialSpec; addresses: readonly string[] },
): Promise<RunCertificates> {
  const { certificate: kind, chainLength } = spec;
  if (kind === null || spec.broker === 'external') return { broker: null, authority: null, client: null };
  const { certificateChain, privateKey, authority } = await certificates.forBroker({
    testbedId,
    kind,
    addresses,
    chainLength: chainLength ?? 1,
  });
  const client =
    spec.clientCertificate === 'mutual TLS' ? await certificates.forClients({ testbedId, kind }) : null;
  return {
    broker: { certificateChain, privateKey, clientAuthority: client?.authority ?? null },
    authority,
    client: client && { certificateChain: client.certificateChain, privateKey: client.privateKey },
  };
}
