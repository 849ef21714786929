import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import { findPayloadCipherDefinition } from './payload-ciphers.ts';
import { type Protection, protectionOf } from './protection.ts';

/** What a configuration protects, hop by hop and end to end; the two do not add up to one. */
export interface Protections {
  /** Between each client and the broker, by TLS. The broker itself reads everything. */
  hop: Protection;
  /** From publisher to subscriber, by the payload cipher: payloads only, topics stay readable; null without one. */
  endToEnd: Protection | null;
  /** What the payload cipher lacks although it might be taken for granted, as a sentence; null where it is sound. */
  caution: string | null;
}

export function protectionsOf(
  spec: Parameters<typeof protectionOf>[0] & Pick<TrialSpec, 'payloadCipher'>,
): Protections {
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipherDefinition(spec.payloadCipher);
  return { hop: protectionOf(spec), endToEnd: cipher?.protects ?? null, caution: cipher?.caution ?? null };
}
