import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiError, request } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';

const pathOf = (deviceId: string): string => `/devices/${encodeURIComponent(deviceId)}/settings`;
const keyOf = (deviceId: string) => [...queryKeys.devices, deviceId, 'settings'];

export function useDeviceSettings(deviceId: string): UseQueryResult<DeviceSettings, ApiError> {
  return useQuery({ queryKey: keyOf(deviceId), queryFn: () => request('GET', pathOf(deviceId)) });
}

/** The agent connects anew to hear of them; what it finds then comes with the next look at the devices. */
export function useSaveSettings(
  deviceId: string,
): UseMutationResult<DeviceSettings, ApiError, Record<keyof DeviceSettings, string | number | null>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings) => request('PUT', pathOf(deviceId), settings),
    onSuccess: (saved) => client.setQueryData(keyOf(deviceId), saved),
  });
}
