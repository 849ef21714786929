import { useDebouncedValue } from '@mantine/hooks';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../../api/client.ts';
import { isSameDraft } from '../draft/same-draft.ts';
import type { ServerAnswer } from './make-forecast.ts';
import { checkedPart } from './plan-so-far.ts';

type Answer = Pick<ServerAnswer, 'check'> & { asked: ExperimentDraft };

/** Asks the server about the draft after a pause in typing; keeps the last answer, also while the server is gone. */
export function usePlanCheck(draft: ExperimentDraft): ServerAnswer | null {
  const current = useMemo(() => checkedPart(draft), [draft]);
  const [asked] = useDebouncedValue(current, 400);
  const { data } = useQuery({
    queryKey: ['planCheck', asked],
    queryFn: async (): Promise<Answer> => ({ check: await api.checkPlan(asked), asked }),
    staleTime: 60_000,
    gcTime: 60_000,
  });
  const [last, setLast] = useState<Answer | null>(null);
  if (data && data !== last) setLast(data);
  const answer = data ?? last;
  return answer && { ...answer, isCurrent: isSameDraft(answer.asked, current) };
}
