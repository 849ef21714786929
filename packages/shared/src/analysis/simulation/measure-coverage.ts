import type { Scenario } from './scenarios.ts';

export interface Measured {
  name: string;
  kind: Scenario['kind'];
  /** Share of draws, in percent. */
  percent: number;
  /** True if the share is within the limits of its kind, allowing for Monte Carlo noise. */
  isMet: boolean;
}

/**
 * Required share in percent. Intervals must contain the true value in 95 % of draws; after stopping, in at
 * least 94 %.
 */
const limits: Readonly<Record<Scenario['kind'], { least: number; most: number }>> = {
  coverage: { least: 94, most: 96 },
  // Welch's test with three runs per side is conservative, but no other method in use covers unequal spreads.
  careful: { least: 94, most: 97 },
  adaptive: { least: 94, most: 100 },
  error: { least: 0, most: 5.5 },
  power: { least: 78, most: 85 },
};

/** Draws one scenario `draws` times. */
export function measureScenario({ name, kind, draw }: Scenario, draws: number): Measured {
  let count = 0;
  for (let i = 0; i < draws; i += 1) if (draw()) count += 1;
  const percent = (100 * count) / draws;
  const { least, most } = limits[kind];
  const noise = noiseOf(kind, draws);
  return { name, kind, percent, isMet: percent >= least - noise && percent <= most + noise };
}

/**
 * Returns the tolerated Monte Carlo noise in percentage points: three standard errors, or two for false
 * claims.
 */
function noiseOf(kind: Scenario['kind'], draws: number): number {
  const standardError = (share: number, count: number) => 100 * Math.sqrt((share * (1 - share)) / count);
  // The limits of the power table include the noise of 20,000 draws.
  if (kind === 'power') return Math.max(0, 3 * (standardError(0.8, draws) - standardError(0.8, 20_000)));
  return (kind === 'error' ? 2 : 3) * standardError(0.95, draws);
}
