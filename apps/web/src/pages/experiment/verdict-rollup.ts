import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { countingAttempts } from '@mqttlab/shared/domain/runs/run';

/** One check that failed, with the Runs that it flags, oldest first. */
export interface FailedVerdict {
  id: string;
  label: string;
  runs: { runId: number; evidence: string }[];
}

export interface VerdictRollup {
  flagged: number;
  /** Finished Runs, the attempt of each Trial that counts. */
  judged: number;
  /** The most frequent first. */
  verdicts: FailedVerdict[];
}

/** Which checks failed in how many Runs. A Run may stand under several; a retried Trial counts once. */
export function rollUpVerdicts(runs: readonly RunSummary[]): VerdictRollup {
  const last = countingAttempts(runs).filter((run) => run.status === 'done');
  const failed = new Map<string, FailedVerdict>();
  for (const run of last) {
    for (const { id, label, status, evidence } of run.verdicts) {
      if (status !== 'failed') continue;
      const entry = failed.get(id) ?? { id, label, runs: [] };
      entry.runs.push({ runId: run.id, evidence });
      failed.set(id, entry);
    }
  }
  return {
    flagged: last.filter((run) => run.flagged).length,
    judged: last.length,
    verdicts: [...failed.values()].sort((a, b) => b.runs.length - a.runs.length),
  };
}
