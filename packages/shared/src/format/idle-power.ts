import type { RunEnergy } from '../domain/runs/role-result.ts';
import { formatQuantity } from './quantity.ts';

interface Idle {
  baselineW: number | null;
  baselineWindow?: RunEnergy['baselineWindow'] | null;
}

/** "3.00 W idle over 12.5 s, which ended 3.2 s before measuring". */
export function describeIdle({ baselineW, baselineWindow }: Idle): string {
  if (baselineW === null) return 'idle power not known (no time beside the run in which nothing ran)';
  const power = `${formatQuantity(baselineW, 'W')} idle`;
  if (!baselineWindow) return power;
  const { fromMs, toMs } = baselineWindow;
  const where =
    toMs <= 0
      ? `which ended ${seconds(-toMs)} before measuring`
      : `which began ${seconds(fromMs)} after measuring had begun`;
  return `${power} over ${seconds(toMs - fromMs)}, ${where}`;
}

/** ", at most 2.1 J off for 1.5 s without a sample"; empty where there are no gaps. */
export function describeGaps(gaps: RunEnergy['gaps'] | null): string {
  if (!gaps) return '';
  return `, at most ${formatQuantity(gaps.errorJ, 'J')} off for ${seconds(gaps.ms)} without a sample`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
