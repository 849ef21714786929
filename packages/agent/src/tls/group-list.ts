import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

type GroupSpec = Pick<TrialSpec, 'security' | 'cipherSuite' | 'group' | 'certificate'>;

/**
 * The groups that a client offers, in OpenSSL's notation: the one asked for, and nothing else to fall back to.
 * TLS 1.2 uses the same list for the curve of an ECDSA certificate (RFC 8422 section 5.1.1), so there the
 * certificate's curve follows, in second place; both usual ones do where the certificate is not ours to choose.
 * null where there is no group to choose.
 */
export function groupListOf(spec: GroupSpec): string | null {
  const group = namedGroupOf(spec);
  if (group === null) return null;
  if (spec.security !== 'TLS 1.2') return group;
  return [...new Set([group, ...certificateCurves(spec)])].join(':');
}

function certificateCurves({ certificate, cipherSuite }: GroupSpec): string[] {
  if (certificate?.startsWith('ECDSA ')) return [certificate.slice('ECDSA '.length)];
  return certificate === null && cipherSuite?.startsWith('ECDHE-ECDSA-') ? ['P-256', 'P-384'] : [];
}

/**
 * The groups that a broker offers. The group alone, for a server does not hold its own certificate's curve against
 * this list; but it does so with the curve of a client's certificate, which is of the same kind as its own.
 */
export function brokerGroupListOf(spec: GroupSpec & Pick<TrialSpec, 'clientCertificate'>): string | null {
  return spec.clientCertificate === 'mutual TLS' ? groupListOf(spec) : namedGroupOf(spec);
}

/** The group where the handshake names it; the finite field of a DHE suite is the broker's parameter instead. */
function namedGroupOf({ cipherSuite, group }: GroupSpec): string | null {
  return cipherSuite?.startsWith('DHE-') ? null : group;
}
