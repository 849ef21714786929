import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import type { CreateFromProtocol, ProtocolList } from '@mqttlab/shared/protocol/protocols';
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiError, request } from '../api/client.ts';
import { keepExperiment } from '../api/mutations.ts';

/** What the studies cost and leave out on a testbed; null for the first one. */
export function useProtocols(testbedId: string | null): UseQueryResult<ProtocolList, ApiError> {
  const query = testbedId === null ? '' : `?testbedId=${encodeURIComponent(testbedId)}`;
  return useQuery({
    queryKey: ['protocols', testbedId],
    queryFn: () => request<ProtocolList>('GET', `/protocols${query}`),
    placeholderData: keepPreviousData,
  });
}

type Choice = CreateFromProtocol & { id: string };

/** Makes a draft of a part; it opens in the wizard. */
export function useProtocolDraft(): UseMutationResult<ExperimentDetail, ApiError, Choice> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }) =>
      request<ExperimentDetail>('POST', `/protocols/${encodeURIComponent(id)}/experiments`, body),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}
