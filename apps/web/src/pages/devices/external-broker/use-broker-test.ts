import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { Preflight } from '@mqttlab/shared/messages/http';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { type ApiError, api } from '../../../api/client.ts';
import { bestOfEach, makeTestDraft } from './test-draft.ts';

type Checks = Preflight['checks'];

/** Connects both clients once for every way into the broker, with the pre-flight of an experiment. */
export function useBrokerTest(testbedId: string): UseMutationResult<Checks, ApiError, ExternalBroker> {
  return useMutation({
    mutationFn: async (broker) => {
      const { checks } = await api.preflight(testbedId, makeTestDraft(testbedId, broker));
      return bestOfEach(checks.filter(({ id }) => id.startsWith('connect-')));
    },
  });
}
