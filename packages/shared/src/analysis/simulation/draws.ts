import type { Treatment } from '../../domain/plans/plan.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { makeRandom, type Random } from '../../statistics/randomness/random.ts';

/** Returns standard normal draws from a seeded generator (Box and Muller 1958). */
export function makeNormal(seed: number): () => number {
  const random: Random = makeRandom(seed);
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log((random.next() + 0.5) / 2 ** 32));
    const angle = (2 * Math.PI * random.next()) / 2 ** 32;
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Makes a treatment with one value per repetition, as input for the analysis. */
export function makeCompared(
  place: number,
  values: readonly number[],
  { metric, experimentId = 1, level }: { metric: string; experimentId?: number; level?: number },
): ComparedTreatment {
  const name = `treatment ${place}`;
  // The analysis reads only names, places and levels.
  const treatment = { key: name, shortLabel: name, colourLabel: name, rowLabel: '', levels: {} } as Treatment;
  return {
    id: name,
    experimentId,
    treatment,
    ...(level === undefined ? {} : { level }),
    runs: values.map((value, index) => ({
      runId: 1000 * place + index,
      block: index + 1,
      flagged: false,
      metrics: { [metric]: value },
    })),
    latency: null,
    latencyWithFlagged: null,
  };
}
