import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { Signer, UnknownSigner } from '@mqttlab/shared/messages/signers';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useChange } from '../../api/mutations.ts';

const signersKey = ['signers'] as const;

/** A trusted signer, or one that is known only from imported bundles. */
export type SignerRow = Signer | UnknownSigner;

export const isTrusted = (row: SignerRow): row is Signer => 'name' in row;

/** Trusted signers by name, then the unknown ones of imported experiments. */
export const useSigners = (): UseQueryResult<SignerRow[], ApiError> =>
  useQuery({
    queryKey: signersKey,
    queryFn: () => call('GET /signers'),
    select: ({ items, unknown }) => [...items, ...unknown],
  });

export const useTrustSigner = () =>
  useChange(
    (body: { name: string; key?: string; fingerprint?: string }) => call('POST /signers', { body }),
    [signersKey],
  );

export const useRemoveSigner = () =>
  useChange((id: number) => call('DELETE /signers/{id}', { params: { id } }), [signersKey]);

/** The pasted text: a public key in PEM, or its fingerprint. */
export const keyOrFingerprint = (text: string): { key: string } | { fingerprint: string } =>
  text.trim().startsWith('SHA256:') ? { fingerprint: text.trim() } : { key: text.trim() };
