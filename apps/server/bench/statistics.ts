import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bootstrapDifference } from '@mqttlab/shared/statistics/estimates/bootstrap';
import { makeRandom } from '@mqttlab/shared/statistics/randomness/random';
import { augmentedDickeyFuller } from '@mqttlab/shared/statistics/series/adf';
import { type BenchRow, medianMs } from '@mqttlab/shared/testing/bench';

const length = 3000;
const repeats = 15;
const times = 3;

/**
 * Times the block bootstrap and the ADF test on 3000 samples, and numpy and statsmodels if Python has them.
 */
export function benchStatistics(): BenchRow[] {
  const a = autoregressive(0.9, 1);
  const b = a.toReversed().map((value) => value * 1.01);
  const options = { scheme: 'single', blockType: 'circular', blockLength: 20, replicates: 2000 } as const;
  const bootstrapMs = medianMs(repeats, () => bootstrapDifference([a], [b], { ...options, seed: 1 }));
  const adfMs = medianMs(repeats, () => augmentedDickeyFuller(a));
  const reference = measurePython({ a, b, repeats });
  return [
    beside('block bootstrap, n = 3000, b = 20, 2000 replicates; numpy', bootstrapMs, {
      reference: reference?.bootstrap ?? null,
      most: times,
    }),
    beside('ADF, n = 3000, lags by AIC; statsmodels', adfMs, { reference: reference?.adf ?? null, most: 1 }),
  ];
}

function beside(
  name: string,
  value: number,
  { reference, most }: { reference: number | null; most: number },
): BenchRow {
  return {
    name,
    value,
    unit: 'ms',
    reference,
    ratio: reference === null ? null : value / reference,
    goal: `at most ${most} x the reference`,
    met: reference === null ? null : value <= most * reference,
  };
}

/** Returns null if no Python with numpy is installed. */
function measurePython(input: object): { bootstrap: number; adf: number | null } | null {
  const script = fileURLToPath(new URL('./reference.py', import.meta.url));
  const python = process.env.MQTTLAB_PYTHON ?? 'python3';
  const run = spawnSync(python, [script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    timeout: 120_000,
  });
  return run.status === 0 ? JSON.parse(run.stdout) : null;
}

function autoregressive(phi: number, seed: number): number[] {
  const random = makeRandom(seed);
  let last = 0;
  return Array.from({ length }, () => {
    last = phi * last + random.next() / 2 ** 32 - 0.5;
    return last;
  });
}
