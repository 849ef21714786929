import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';

/**
 * The groups that both ends offer, in OpenSSL's notation: the one asked for, and nothing else to fall back to.
 * TLS 1.2 uses the same list for the curve of an ECDSA certificate (RFC 8422 section 5.1.1), so there the
 * certificate's curve follows, in second place. null where there is no group to choose.
 */
export function groupListOf(spec: Pick<TrialSpec, 'security' | 'group' | 'certificate'>): string | null {
  const { security, group, certificate } = spec;
  if (group === null) return null;
  const curve = certificate?.startsWith('ECDSA ') ? certificate.slice('ECDSA '.length) : null;
  return security === 'TLS 1.2' && curve !== null && curve !== group ? `${group}:${curve}` : group;
}
