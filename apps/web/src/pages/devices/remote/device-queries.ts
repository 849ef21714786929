import type { Answer } from '@mqttlab/shared/messages/api';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useApi } from '../../../api/use-api.ts';

const askEveryMs = 500;

/** Options for calls that change devices. They also request testbeds and running installations again. */
export const deviceChanges = {
  changes: ['GET /devices', 'GET /testbeds', 'GET /devices/{id}/installation', 'GET /devices/{id}/settings'],
} as const;

/** Returns the last installation, upgrade or removal on a device. Polls while it is running. */
export function useInstallation(
  deviceId: string | null,
): UseQueryResult<Answer<'GET /devices/{id}/installation'>, ApiError> {
  return useApi('GET /devices/{id}/installation', deviceId === null ? null : { params: { id: deviceId } }, {
    retry: false,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? askEveryMs : false),
  });
}

/** Polls devices while they are shown, because live events do not include devices without a testbed. */
export function useKnownDevices(): UseQueryResult<Answer<'GET /devices'>, ApiError> {
  return useApi('GET /devices', {}, { refetchInterval: 6 * askEveryMs });
}

/** Returns the name of a testbed, or its id until the name is loaded. */
export function useTestbedName(id: string): string {
  return useApi('GET /testbeds').data?.items.find(({ testbedId }) => testbedId === id)?.name ?? id;
}
