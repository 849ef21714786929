import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import type {
  AddDevice,
  HostKeyAnswer,
  HostKeyRequest,
  Installation,
  SaveTestbed,
} from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { ImportDevices, ImportState, InventoryDevice } from '@mqttlab/shared/messages/inventory';
import {
  type UseMutationResult,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { type ApiError, api, type KnownDevice, request } from '../../../api/client.ts';
import { useTestbeds } from '../../../api/queries.ts';
import { queryKeys } from '../../../api/query-keys.ts';

const pathOf = (deviceId: string): string => `/devices/${encodeURIComponent(deviceId)}`;
const testbedPath = (testbedId: string): string => `/testbeds/${encodeURIComponent(testbedId)}`;
const lookEveryMs = 500;
const devicesEveryMs = 3000;

/** A call that changes devices or testbeds, which belong together: both are then asked for again. */
function useDeviceCall<Input, Output>(
  call: (input: Input) => Promise<Output>,
): UseMutationResult<Output, ApiError, Input> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.devices }),
        client.invalidateQueries({ queryKey: queryKeys.testbeds }),
      ]),
  });
}

export const useAddDevice = () =>
  useDeviceCall((wish: AddDevice) => request<Installation>('POST', '/devices', wish));

export const useUpgradeDevice = (deviceId: string) =>
  useDeviceCall((body: { sudoPassword?: string }) =>
    request<Installation>('POST', `${pathOf(deviceId)}/upgrade`, body),
  );

export const useRemoveDevice = (deviceId: string) =>
  useDeviceCall((body: { forget?: boolean; sudoPassword?: string }) =>
    request<Installation | null>('DELETE', pathOf(deviceId), body),
  );

/** Trusts another host key; it must be the one that the device shows now. */
export const useRepinDevice = (deviceId: string) =>
  useDeviceCall((fingerprint: string) =>
    request<void>('PUT', `${pathOf(deviceId)}/host-key`, { fingerprint }),
  );

export const useDrainDevice = (deviceId: string) =>
  useDeviceCall((draining: boolean) => request<void>('POST', `${pathOf(deviceId)}/drain`, { draining }));

/** Makes one, or changes the one of that id. */
export const useSaveTestbed = (testbedId?: string) =>
  useDeviceCall((wish: SaveTestbed) =>
    testbedId === undefined
      ? request<TestbedStatus>('POST', '/testbeds', wish)
      : request<TestbedStatus>('PUT', testbedPath(testbedId), wish),
  );

export const useRemoveTestbed = (testbedId: string) =>
  useDeviceCall<void, void>(() => request<void>('DELETE', testbedPath(testbedId)));

/** Shows the key of an SSH server; nobody is logged in. */
export function useHostKey() {
  return useMutation<HostKeyAnswer, ApiError, HostKeyRequest>({
    mutationFn: (address) => request('POST', '/devices/host-key', address),
  });
}

/** Devices outside of every testbed are not in the live events: they are looked at while the page shows them. */
export function useKnownDevices() {
  return useQuery<{ items: KnownDevice[] }, ApiError, KnownDevice[]>({
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
export function useInstallation(deviceId: string | null) {
  return useQuery<Installation, ApiError>({
    queryKey: [...queryKeys.devices, deviceId, 'installation'],
    queryFn: () => request('GET', `${pathOf(deviceId ?? '')}/installation`),
    enabled: deviceId !== null,
    retry: false,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? lookEveryMs : false),
  });
}

/** As people call it; its id until that is known. */
export function useTestbedName(testbedId: string): string {
  return useTestbeds().data?.find((testbed) => testbed.testbedId === testbedId)?.name ?? testbedId;
}

const settingsKey = (deviceId: string) => [...queryKeys.devices, deviceId, 'settings'];

export function useDeviceSettings(deviceId: string) {
  return useQuery<DeviceSettings, ApiError>({
    queryKey: settingsKey(deviceId),
    queryFn: () => request('GET', `${pathOf(deviceId)}/settings`),
  });
}

/** The agent connects anew to hear of them; what it finds then comes with the next look at the devices. */
export function useSaveSettings(deviceId: string) {
  const client = useQueryClient();
  return useMutation<DeviceSettings, ApiError, Record<keyof DeviceSettings, string | number | null>>({
    mutationFn: (settings) => request('PUT', `${pathOf(deviceId)}/settings`, settings),
    onSuccess: (saved) => client.setQueryData(settingsKey(deviceId), saved),
  });
}

export type SeenKey = { data: HostKeyAnswer | undefined; error: ApiError | null; refetch: () => void };

/** The host key that each of them shows now; nobody is logged in. */
export function useHostKeys(devices: readonly InventoryDevice[]): SeenKey[] {
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

export function useBeginImport() {
  return useMutation<ImportState, ApiError, ImportDevices>({
    mutationFn: (wish) => request('POST', '/devices/import', wish),
  });
}

/** How far it is; asked for again while it goes on. Devices and testbeds are looked at anew at its end. */
export function useImportState(enabled: boolean) {
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
