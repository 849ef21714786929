import type {
  AddDevice,
  HostKeyAnswer,
  HostKeyRequest,
  Installation,
  SaveTestbed,
} from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiError, api, type KnownDevice, request } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';

type Mutation<Input, Output> = UseMutationResult<Output, ApiError, Input>;

const pathOf = (deviceId: string): string => `/devices/${encodeURIComponent(deviceId)}`;
const lookEveryMs = 500;
const devicesEveryMs = 3000;

/** Shows the key of an SSH server; nobody is logged in. */
export function useHostKey(): Mutation<HostKeyRequest, HostKeyAnswer> {
  return useMutation({ mutationFn: (address) => request('POST', '/devices/host-key', address) });
}

export function useAddDevice(): Mutation<AddDevice, Installation> {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (wish) => request('POST', '/devices', wish), onSuccess: refresh });
}

/** Devices outside of every testbed are not in the live events: they are looked at while the page shows them. */
export function useKnownDevices(): UseQueryResult<KnownDevice[], ApiError> {
  return useQuery({
    queryKey: queryKeys.devices,
    queryFn: api.devices,
    refetchInterval: devicesEveryMs,
    select: ({ items }) => items,
  });
}

export function useAddedDevices(): KnownDevice[] {
  return (useKnownDevices().data ?? []).filter(({ ssh }) => ssh !== null);
}

/** What was done on a device last; asked for again while it goes on. */
export function useInstallation(deviceId: string | null): UseQueryResult<Installation, ApiError> {
  return useQuery({
    queryKey: [...queryKeys.devices, deviceId, 'installation'],
    queryFn: () => request<Installation>('GET', `${pathOf(deviceId ?? '')}/installation`),
    enabled: deviceId !== null,
    retry: false,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? lookEveryMs : false),
  });
}

export function useUpgradeDevice(deviceId: string): Mutation<{ sudoPassword?: string }, Installation> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body) => request('POST', `${pathOf(deviceId)}/upgrade`, body),
    onSuccess: refresh,
  });
}

export function useRemoveDevice(
  deviceId: string,
): Mutation<{ forget?: boolean; sudoPassword?: string }, Installation | null> {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (body) => request('DELETE', pathOf(deviceId), body), onSuccess: refresh });
}

/** Trusts another host key; it must be the one that the device shows now. */
export function useRepinDevice(deviceId: string): Mutation<string, void> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (fingerprint) => request('PUT', `${pathOf(deviceId)}/host-key`, { fingerprint }),
    onSuccess: refresh,
  });
}

export function useDrainDevice(deviceId: string): Mutation<boolean, void> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (draining) => request('POST', `${pathOf(deviceId)}/drain`, { draining }),
    onSuccess: refresh,
  });
}

/** Makes one, or changes the one of that id. */
export function useSaveTestbed(testbedId?: string): Mutation<SaveTestbed, TestbedStatus> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (wish) =>
      testbedId === undefined
        ? request('POST', '/testbeds', wish)
        : request('PUT', `/testbeds/${encodeURIComponent(testbedId)}`, wish),
    onSuccess: refresh,
  });
}

export function useRemoveTestbed(testbedId: string): Mutation<void, void> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => request('DELETE', `/testbeds/${encodeURIComponent(testbedId)}`),
    onSuccess: refresh,
  });
}

/** Devices and testbeds belong together. */
function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: queryKeys.devices }),
      client.invalidateQueries({ queryKey: queryKeys.testbeds }),
    ]);
}
