import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import { addressOf } from '@mqttlab/shared/messages/address';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type {
  CreateFromStudy,
  SaveStudy,
  StartStudy,
  StudyList,
  StudyRun,
} from '@mqttlab/shared/messages/studies';
import {
  keepPreviousData,
  skipToken,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { call } from './client.ts';
import { type Mutation, useChange, useExperimentChange } from './mutations.ts';
import { queryKeys } from './query-keys.ts';

const listKey = ['studies'];
const runsKey = ['study runs'];
/** Progress of parts comes with it; the live connection tells of experiments only. */
const lookEveryMs = 1500;

/** What the studies cost and leave out on a testbed; null for the first one. */
export function useStudies(testbedId: string | null): UseQueryResult<StudyList, ApiError> {
  return useQuery({
    queryKey: [...listKey, testbedId],
    queryFn: () => call('GET /studies', { query: { testbedId: testbedId ?? undefined } }),
    placeholderData: keepPreviousData,
  });
}

/** Newest first. */
export function useStudyRuns(): UseQueryResult<StudyRun[], ApiError> {
  return useQuery({
    queryKey: runsKey,
    queryFn: () => call('GET /study-runs'),
    select: ({ items }) => items,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'running') ? 2 * lookEveryMs : false,
  });
}

/** Asked again while it runs; null asks for nothing. */
export function useStudyRun(id: number | null): UseQueryResult<StudyRun, ApiError> {
  return useQuery({
    queryKey: [...runsKey, id],
    queryFn: id === null ? skipToken : () => call('GET /study-runs/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? lookEveryMs : false),
  });
}

/** The claims of a study run; asked again while it runs. Empty for a study that was saved here. */
export function useStudyBoard(
  { id, status, own }: Pick<StudyRun, 'id' | 'status' | 'own'>,
  flagged: boolean,
): UseQueryResult<ClaimBoard, ApiError> {
  return useQuery({
    queryKey: [...runsKey, id, 'board', flagged, status],
    queryFn:
      own === null
        ? () =>
            call('GET /study-runs/{id}/board', {
              params: { id },
              query: { flagged: flagged ? 'true' : 'false' },
            })
        : skipToken,
    placeholderData: keepPreviousData,
    refetchInterval: status === 'running' ? 4 * lookEveryMs : false,
  });
}

type Choice = CreateFromStudy & { id: string };

/** Makes a draft of a part; it opens in the wizard. */
export const useStudyDraft = () =>
  useExperimentChange(({ id, ...body }: Choice) =>
    call('POST /studies/{id}/experiments', { params: { id }, body }),
  );

/** Starts every part, one after the other. */
export const useStartStudy = () =>
  useChange((body: StartStudy) => call('POST /study-runs', { body }), [runsKey, queryKeys.experimentLists]);

export function useCancelStudyRun(): Mutation<number, StudyRun> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id) => call('POST /study-runs/{id}/actions/cancel', { params: { id } }),
    onSuccess: (run) => {
      client.setQueryData([...runsKey, run.id], run);
      void client.invalidateQueries({ queryKey: runsKey });
    },
  });
}

export const useSaveStudy = () => useChange((body: SaveStudy) => call('POST /studies', { body }), [listKey]);

/** The text of a study file, YAML or JSON. */
export const useImportStudy = () =>
  useChange((text: string) => call('POST /studies/import', { body: { text } }), [listKey]);

export const useRemoveStudy = () =>
  useChange((id: string) => call('DELETE /studies/{id}', { params: { id } }), [listKey]);

export function studyFileUrl(id: string, format: 'yaml' | 'json'): string {
  return addressOf(`GET /studies/{id}/study.${format}`, { params: { id } });
}
