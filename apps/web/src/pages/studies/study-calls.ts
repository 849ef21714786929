import type { ProtocolFile } from '@mqttlab/shared/domain/plans/study-file';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type {
  CreateFromProtocol,
  ProtocolList,
  ProtocolRun,
  SaveProtocol,
  StartProtocol,
} from '@mqttlab/shared/messages/studies';
import {
  keepPreviousData,
  skipToken,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiError, request } from '../../api/client.ts';
import { keepExperiment } from '../../api/mutations.ts';
import { queryKeys } from '../../api/query-keys.ts';

type Mutation<Variables, Data> = UseMutationResult<Data, ApiError, Variables>;

const listKey = ['protocols'];
const runsKey = ['protocol runs'];
/** Progress of parts comes with it; the live connection tells of experiments only. */
const lookEveryMs = 1500;

/** What the protocols cost and leave out on a testbed; null for the first one. */
export function useProtocols(testbedId: string | null): UseQueryResult<ProtocolList, ApiError> {
  const query = testbedId === null ? '' : `?testbedId=${encodeURIComponent(testbedId)}`;
  return useQuery({
    queryKey: [...listKey, testbedId],
    queryFn: () => request<ProtocolList>('GET', `/protocols${query}`),
    placeholderData: keepPreviousData,
  });
}

/** Newest first. */
export function useProtocolRuns(): UseQueryResult<ProtocolRun[], ApiError> {
  return useQuery({
    queryKey: runsKey,
    queryFn: () => request<{ items: ProtocolRun[] }>('GET', '/protocol-runs'),
    select: ({ items }) => items,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'running') ? 2 * lookEveryMs : false,
  });
}

/** Asked again while it runs; null asks for nothing. */
export function useProtocolRun(id: number | null): UseQueryResult<ProtocolRun, ApiError> {
  return useQuery({
    queryKey: [...runsKey, id],
    queryFn: id === null ? skipToken : () => request<ProtocolRun>('GET', `/protocol-runs/${id}`),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? lookEveryMs : false),
  });
}

type Choice = CreateFromProtocol & { id: string };

/** Makes a draft of a part; it opens in the wizard. */
export function useProtocolDraft(): Mutation<Choice, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }) =>
      request<ExperimentDetail>('POST', `/protocols/${encodeURIComponent(id)}/experiments`, body),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

/** Starts every part, one after the other. */
export function useStartProtocol(): Mutation<StartProtocol, ProtocolRun> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body) => request<ProtocolRun>('POST', '/protocol-runs', body),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: runsKey });
      void client.invalidateQueries({ queryKey: queryKeys.experimentLists });
    },
  });
}

export function useCancelProtocolRun(): Mutation<number, ProtocolRun> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id) => request<ProtocolRun>('POST', `/protocol-runs/${id}/actions/cancel`),
    onSuccess: (run) => {
      client.setQueryData([...runsKey, run.id], run);
      void client.invalidateQueries({ queryKey: runsKey });
    },
  });
}

function useChangingList<Variables, Data>(
  mutationFn: (variables: Variables) => Promise<Data>,
): Mutation<Variables, Data> {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => client.invalidateQueries({ queryKey: listKey }) });
}

export function useSaveProtocol(): Mutation<SaveProtocol, ProtocolFile> {
  return useChangingList((body) => request<ProtocolFile>('POST', '/protocols', body));
}

/** The text of a protocol file, YAML or JSON. */
export function useImportProtocol(): Mutation<string, ProtocolFile> {
  return useChangingList((text) => request<ProtocolFile>('POST', '/protocols/import', { text }));
}

export function useRemoveProtocol(): Mutation<string, void> {
  return useChangingList((id) => request<void>('DELETE', `/protocols/${encodeURIComponent(id)}`));
}

export function protocolFileUrl(id: string, format: 'yaml' | 'json'): string {
  return `/api/v1/protocols/${encodeURIComponent(id)}/protocol.${format}`;
}
