import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { Preflight } from '@mqttlab/shared/messages/http';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import type { StatusKind } from '../../../ui/status.tsx';

type Check = Preflight['checks'][number];

const kinds: Readonly<Record<Check['status'], StatusKind>> = {
  passed: 'passed',
  failed: 'failed',
  warning: 'warning',
  'not applicable': 'notApplicable',
};

export function checkKind({ status }: Pick<Check, 'status'>): StatusKind {
  return kinds[status];
}

/** Sorts checks: failures, then warnings, then the rest in the server's order. */
export function worstFirst(checks: readonly Check[]): Check[] {
  const rank: Readonly<Record<Check['status'], number>> = {
    failed: 0,
    warning: 1,
    passed: 2,
    'not applicable': 3,
  };
  return [...checks].sort((a, b) => rank[a.status] - rank[b.status]);
}

export function summarisePreflight(checks: readonly Check[]): { kind: StatusKind; words: string } {
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  const [failed, warnings, passed] = [count('failed'), count('warning'), count('passed')];
  if (failed > 0)
    return { kind: 'failed', words: `${formatCount(failed)} of ${formatCount(checks.length)} failed` };
  if (warnings > 0) {
    return { kind: 'warning', words: `${formatCount(passed)} passed, ${formatCount(warnings)} to review` };
  }
  return { kind: 'passed', words: `${formatCount(passed)} passed` };
}

export interface MergedCheck extends Omit<Check, 'device'> {
  devices: string[];
}

/** Merges equal results of a check on several devices into one row. */
export function mergeChecks(checks: readonly Check[]): MergedCheck[] {
  const rows = new Map<string, MergedCheck>();
  for (const { device, ...check } of checks) {
    const key = JSON.stringify([check.label, check.status, check.evidence, check.remedy]);
    const row = rows.get(key) ?? { ...check, devices: [] };
    row.devices.push(device);
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** Returns the part of a draft that the pre-flight depends on. Names, seeds and notes are excluded. */
export function probedPart({ testbedId, factors, workload }: ExperimentDraft): string {
  return JSON.stringify([testbedId, factors, workload]);
}

/**
 * Returns the pre-flight and a function that runs it. The pre-flight starts a broker, so it never runs
 * automatically in the background.
 */
export function usePreflight(testbedId: string, draft: ExperimentDraft) {
  const mutation = useMutation<Pick<Preflight, 'checks'> & { ranAtMs: number }, ApiError, ExperimentDraft>({
    mutationFn: async (asked) => ({
      checks: (await call('POST /testbeds/{id}/preflight', { params: { id: testbedId }, body: asked }))
        .checks,
      ranAtMs: Date.now(),
    }),
  });
  const { data, variables, isPending, error } = mutation;
  return {
    run: () => mutation.mutate(draft),
    isPending,
    checks: data?.checks ?? null,
    // Unix ms of the last result.
    ranAtMs: data?.ranAtMs ?? null,
    error,
    // True if the probed part of the draft has changed since then.
    isOutdated: variables !== undefined && probedPart(variables) !== probedPart(draft),
  };
}
