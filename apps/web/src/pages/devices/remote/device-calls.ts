import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import type {
  AddDevice,
  HostKeyAnswer,
  HostKeyRequest,
  Installation,
  KnownDevice,
  SaveTestbed,
} from '@mqttlab/shared/messages/devices';
import type { ImportDevices, ImportState, InventoryDevice } from '@mqttlab/shared/messages/inventory';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, call } from '../../../api/client.ts';
import { useChange } from '../../../api/mutations.ts';
import { useTestbeds } from '../../../api/queries.ts';
import { queryKeys } from '../../../api/query-keys.ts';

const lookEveryMs = 500;
const devicesEveryMs = 3000;

/** Devices and testbeds belong together: both are asked for again. */
const together = [queryKeys.devices, queryKeys.testbeds];

export const useAddDevice = () => useChange((body: AddDevice) => call('POST /devices', { body }), together);

export const useUpgradeDevice = (id: string) =>
  useChange(
    (body: { sudoPassword?: string }) => call('POST /devices/{id}/upgrade', { params: { id }, body }),
    together,
  );

export const useRemoveDevice = (id: string) =>
  useChange(
    (body: { forget?: boolean; sudoPassword?: string }) =>
      call('DELETE /devices/{id}', { params: { id }, body }),
    together,
  );

/** Trusts another host key; it must be the one that the device shows now. */
export const useRepinDevice = (id: string) =>
  useChange(
    (fingerprint: string) => call('PUT /devices/{id}/host-key', { params: { id }, body: { fingerprint } }),
    together,
  );

export const useDrainDevice = (id: string) =>
  useChange(
    (draining: boolean) => call('POST /devices/{id}/drain', { params: { id }, body: { draining } }),
    together,
  );

/** Makes one, or changes the one of that id. */
export const useSaveTestbed = (id?: string) =>
  useChange(
    (body: SaveTestbed) =>
      id === undefined
        ? call('POST /testbeds', { body })
        : call('PUT /testbeds/{id}', { params: { id }, body }),
    together,
  );

export const useRemoveTestbed = (id: string) =>
  useChange<void, void>(() => call('DELETE /testbeds/{id}', { params: { id } }), together);

/** Shows the key of an SSH server; nobody is logged in. */
export function useHostKey() {
  return useMutation<HostKeyAnswer, ApiError, HostKeyRequest>({
    mutationFn: (address) => call('POST /devices/host-key', { body: address }),
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
    queryFn: () => call('GET /devices/{id}/installation', { params: { id: deviceId ?? '' } }),
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
    queryFn: () => call('GET /devices/{id}/settings', { params: { id: deviceId } }),
  });
}

/** The agent connects anew to hear of them; what it finds then comes with the next look at the devices. */
export function useSaveSettings(deviceId: string) {
  const client = useQueryClient();
  return useMutation<DeviceSettings, ApiError, Record<keyof DeviceSettings, string | number | null>>({
    mutationFn: (settings) =>
      // A text that is no number goes to the server as it is, which names the field.
      call('PUT /devices/{id}/settings', { params: { id: deviceId }, body: settings as DeviceSettings }),
    onSuccess: (saved) => client.setQueryData(settingsKey(deviceId), saved),
  });
}

export type SeenKey = { data: HostKeyAnswer | undefined; error: ApiError | null; refetch: () => void };

/** The host key that each of them shows now; nobody is logged in. */
export function useHostKeys(devices: readonly InventoryDevice[]): SeenKey[] {
  return useQueries({
    queries: devices.map(({ address: host, port }) => ({
      queryKey: ['host key', host, port],
      queryFn: () => call('POST /devices/host-key', { body: { host, port } }),
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
    mutationFn: (wish) => call('POST /devices/import', { body: wish }),
  });
}

/** How far it is; asked for again while it goes on. Devices and testbeds are looked at anew at its end. */
export function useImportState(enabled: boolean) {
  const client = useQueryClient();
  const state = useQuery<ImportState, ApiError>({
    queryKey: [...queryKeys.devices, 'import'],
    queryFn: () => call('GET /devices/import'),
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
