import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Preflight } from '@mqttlab/shared/messages/http';
import { useMutation } from '@tanstack/react-query';
import { type ApiError, api } from '../../../api/client.ts';
import { probedPart } from './summarise-preflight.ts';

export interface PreflightControl {
  run: () => void;
  isPending: boolean;
  checks: Preflight['checks'] | null;
  /** Unix ms of the last answer. */
  ranAtMs: number | null;
  error: ApiError | null;
  /** The draft has changed since in something that was probed. */
  isOutdated: boolean;
}

interface Answer {
  checks: Preflight['checks'];
  ranAtMs: number;
}

/** Probing starts a broker, so it runs when asked for and never by itself in the background. */
export function usePreflight(testbedId: string, draft: ExperimentDraft): PreflightControl {
  const mutation = useMutation<Answer, ApiError, ExperimentDraft>({
    mutationFn: async (asked) => ({
      checks: (await api.preflight(testbedId, asked)).checks,
      ranAtMs: Date.now(),
    }),
  });
  const { data, variables, isPending, error } = mutation;
  return {
    run: () => mutation.mutate(draft),
    isPending,
    checks: data?.checks ?? null,
    ranAtMs: data?.ranAtMs ?? null,
    error,
    isOutdated: variables !== undefined && probedPart(variables) !== probedPart(draft),
  };
}
