import type { RunDetail } from '../domain/runs/run.ts';
import type { Verdict } from '../domain/runs/verdict.ts';

/** Verdicts on the load that must not flag an ordinary run, except those that a busy device may fail. */
export function loadVerdictsOf({ verdicts }: Pick<RunDetail, 'verdicts'>): string[] {
  const always = ['little-lost', 'goodput-within-limit'];
  return machineStateOf(verdicts) === 'busy' ? always : [...always, 'kept-arriving', 'backlog-steady'];
}

/** Unknown for an external broker; a small load of other programs passes the verdict but counts as busy. */
export function machineStateOf(verdicts: readonly Verdict[]): 'quiet' | 'busy' | 'unknown' {
  const idle = verdicts.find(({ id }) => id === 'device-idle');
  if (idle?.status === 'passed' && !idle.evidence.includes('lengthen P95')) return 'quiet';
  return idle?.status === 'passed' || idle?.status === 'failed' ? 'busy' : 'unknown';
}
