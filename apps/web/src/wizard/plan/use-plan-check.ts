import { useDebouncedValue } from '@mantine/hooks';
import type { ExperimentDraft } from '@mqttlab/shared/domain/experiment-draft';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { isSameDraft } from '../draft/same-draft.ts';
import type { ServerAnswer } from './make-forecast.ts';
import { withName } from './plan-so-far.ts';

/** Asks the server about the draft after a pause in typing; keeps the last answer until the next one is there. */
export function usePlanCheck(draft: ExperimentDraft): ServerAnswer | null {
  const [asked] = useDebouncedValue(withName(draft), 400);
  const { data } = useQuery({
    queryKey: ['planCheck', asked],
    queryFn: async () => ({ check: await api.checkPlan(asked), asked }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
  });
  return data ? { ...data, isCurrent: isSameDraft(data.asked, withName(draft)) } : null;
}
