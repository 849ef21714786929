import type { HostKeyAnswer } from '@mqttlab/shared/messages/devices';
import type { ImportDevices, ImportState, InventoryDevice } from '@mqttlab/shared/messages/inventory';
import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { type ApiError, request } from '../../../../api/client.ts';
import { queryKeys } from '../../../../api/query-keys.ts';

const lookEveryMs = 500;

/** The host key that each of them shows now; nobody is logged in. */
export function useHostKeys(
  devices: readonly InventoryDevice[],
): { data: HostKeyAnswer | undefined; error: ApiError | null; refetch: () => void }[] {
  return useQueries({
    queries: devices.map(({ address: host, port }) => ({
      queryKey: ['host key', host, port],
      queryFn: () => request<HostKeyAnswer>('POST', '/devices/host-key', { host, port }),
      retry: false,
      gcTime: 0,
      staleTime: Infinity,
    })),
  }).map(({ data, error, refetch }) => ({
    data,
    error: error as ApiError | null,
    refetch: () => void refetch(),
  }));
}

export function useBeginImport(): UseMutationResult<ImportState, ApiError, ImportDevices> {
  return useMutation({ mutationFn: (wish) => request('POST', '/devices/import', wish) });
}

/** How far it is; asked for again while it goes on. Devices and testbeds are looked at anew at its end. */
export function useImportState(enabled: boolean): UseQueryResult<ImportState, ApiError> {
  const client = useQueryClient();
  const state = useQuery<ImportState, ApiError>({
    queryKey: [...queryKeys.devices, 'import'],
    queryFn: () => request('GET', '/devices/import'),
    enabled,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data && data.status !== 'running' ? false : lookEveryMs),
  });
  const status = state.data?.status;
  useEffect(() => {
    if (status === undefined || status === 'running') return;
    void client.invalidateQueries({ queryKey: queryKeys.testbeds });
    void client.invalidateQueries({ queryKey: queryKeys.devices, exact: true });
  }, [status, client]);
  return state;
}
