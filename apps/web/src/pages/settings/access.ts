import type { AccessRole, Account, NewToken, Token, TokenScope } from '@mqttlab/shared/messages/access';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useChange } from '../../api/mutations.ts';
import { queryKeys } from '../../api/query-keys.ts';

const accountsKey = ['accounts'] as const;
const tokensKey = ['tokens'] as const;
const byId = (id: number) => ({ params: { id } });

export const roleWords: Readonly<Record<AccessRole, string>> = {
  viewer: 'viewer: looks at everything',
  operator: 'operator: runs, edits and shares experiments',
  administrator: 'administrator: also devices, webhooks, accounts',
};

export const scopeWords: Readonly<Record<TokenScope, string>> = {
  everything: 'everything its role may',
  experiments: 'experiments, runs, studies and links',
  devices: 'devices and testbeds',
  metrics: '/metrics only, for Prometheus',
};

export const useAccounts = (): UseQueryResult<Account[], ApiError> =>
  useQuery({ queryKey: accountsKey, queryFn: () => call('GET /accounts'), select: ({ items }) => items });

export const useAddAccount = () =>
  useChange(
    (body: { name: string; role: AccessRole; password: string }) => call('POST /accounts', { body }),
    [accountsKey, queryKeys.session],
  );

export const useChangeAccount = () =>
  useChange(
    ({ id, ...body }: { id: number; role?: AccessRole; password?: string }) =>
      call('PATCH /accounts/{id}', { ...byId(id), body }),
    [accountsKey],
  );

export const useRemoveAccount = () =>
  useChange((id: number) => call('DELETE /accounts/{id}', byId(id)), [accountsKey, queryKeys.session]);

export const useEndSessions = () =>
  useChange(
    (id: number) => call('DELETE /accounts/{id}/sessions', byId(id)),
    [accountsKey, queryKeys.session],
  );

export const useChangePassword = () =>
  useChange(
    (body: { password: string; newPassword: string }) => call('PUT /session/password', { body }),
    [accountsKey],
  );

/** `everywhere`: also in every other browser. */
export const useLogOut = () =>
  useChange(
    (everywhere: boolean) => call(everywhere ? 'DELETE /sessions' : 'DELETE /session'),
    [queryKeys.session],
  );

const inUse = ({ items }: { items: Token[] }) => items.filter(({ revokedAt }) => revokedAt === null);

export const useTokens = (): UseQueryResult<Token[], ApiError> =>
  useQuery({ queryKey: tokensKey, queryFn: () => call('GET /tokens'), select: inUse });

export const useAddToken = () =>
  useChange((body: NewToken) => call('POST /tokens', { body }), [tokensKey, queryKeys.session]);

export const useRevokeToken = () =>
  useChange((id: number) => call('DELETE /tokens/{id}', byId(id)), [tokensKey]);

export const useRestoreToken = () =>
  useChange((id: number) => call('POST /tokens/{id}/restore', byId(id)), [tokensKey]);
