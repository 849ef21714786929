import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
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
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiError, request } from './client.ts';
import { keepExperiment } from './mutations.ts';
import { queryKeys } from './query-keys.ts';

type Mutation<Variables, Data> = UseMutationResult<Data, ApiError, Variables>;

const listKey = ['studies'];
const runsKey = ['study runs'];
/** Progress of parts comes with it; the live connection tells of experiments only. */
const lookEveryMs = 1500;

/** What the studies cost and leave out on a testbed; null for the first one. */
export function useStudies(testbedId: string | null): UseQueryResult<StudyList, ApiError> {
  const query = testbedId === null ? '' : `?testbedId=${encodeURIComponent(testbedId)}`;
  return useQuery({
    queryKey: [...listKey, testbedId],
    queryFn: () => request<StudyList>('GET', `/studies${query}`),
    placeholderData: keepPreviousData,
  });
}

/** Newest first. */
export function useStudyRuns(): UseQueryResult<StudyRun[], ApiError> {
  return useQuery({
    queryKey: runsKey,
    queryFn: () => request<{ items: StudyRun[] }>('GET', '/study-runs'),
    select: ({ items }) => items,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'running') ? 2 * lookEveryMs : false,
  });
}

/** Asked again while it runs; null asks for nothing. */
export function useStudyRun(id: number | null): UseQueryResult<StudyRun, ApiError> {
  return useQuery({
    queryKey: [...runsKey, id],
    queryFn: id === null ? skipToken : () => request<StudyRun>('GET', `/study-runs/${id}`),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? lookEveryMs : false),
  });
}

type Choice = CreateFromStudy & { id: string };

/** Makes a draft of a part; it opens in the wizard. */
export function useStudyDraft(): Mutation<Choice, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }) =>
      request<ExperimentDetail>('POST', `/studies/${encodeURIComponent(id)}/experiments`, body),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

/** Starts every part, one after the other. */
export function useStartStudy(): Mutation<StartStudy, StudyRun> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body) => request<StudyRun>('POST', '/study-runs', body),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: runsKey });
      void client.invalidateQueries({ queryKey: queryKeys.experimentLists });
    },
  });
}

export function useCancelStudyRun(): Mutation<number, StudyRun> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id) => request<StudyRun>('POST', `/study-runs/${id}/actions/cancel`),
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

export function useSaveStudy(): Mutation<SaveStudy, StudyFile> {
  return useChangingList((body) => request<StudyFile>('POST', '/studies', body));
}

/** The text of a study file, YAML or JSON. */
export function useImportStudy(): Mutation<string, StudyFile> {
  return useChangingList((text) => request<StudyFile>('POST', '/studies/import', { text }));
}

export function useRemoveStudy(): Mutation<string, void> {
  return useChangingList((id) => request<void>('DELETE', `/studies/${encodeURIComponent(id)}`));
}

export function studyFileUrl(id: string, format: 'yaml' | 'json'): string {
  return `/api/v1/studies/${encodeURIComponent(id)}/study.${format}`;
}
