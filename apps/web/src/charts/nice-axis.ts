export type NiceAxis = { min: number; max: number; step: number; ticks: readonly number[]; decimals: number };

export type NiceAxisRequest = {
  min: number;
  max: number;
  /** About how many steps fit; 5 unless told otherwise. */
  steps?: number;
};

/** An axis from one round number to another that holds both values, in steps of 1, 2 or 5 times a power of ten. */
export function niceAxis({ min, max, steps = 5 }: NiceAxisRequest): NiceAxis {
  const lowest = Number.isFinite(min) ? min : 0;
  const highest = Number.isFinite(max) && max > lowest ? max : lowest + 1;
  const step = niceStep((highest - lowest) / steps);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.floor(lowest / step + 1e-9);
  const last = Math.ceil(highest / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => round((first + i) * step, decimals));
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, step, ticks, decimals };
}

/** Ticks for a ratio axis, drawn on a logarithm: factors that people say, at least two, inside the range. */
export function ratioTicks(lo: number, hi: number): number[] {
  const candidates = [
    [0.01, 0.1, 1, 10, 100],
    [0.1, 0.2, 0.5, 1, 2, 5, 10],
    [0.25, 0.5, 1, 1.5, 2, 3, 4],
    [0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3],
    [0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5],
    [0.95, 1, 1.05, 1.1, 1.15, 1.2],
    [0.98, 0.99, 1, 1.01, 1.02, 1.03, 1.04],
  ];
  const inside = candidates.map((ticks) =>
    ticks.filter((tick) => tick >= lo * 0.9999 && tick <= hi * 1.0001),
  );
  const best = inside.find((ticks) => ticks.length >= 3 && ticks.length <= 5);
  if (best) return best;
  return niceAxis({ min: lo, max: hi, steps: 3 }).ticks.filter(
    (tick) => tick >= lo && tick <= hi && tick > 0,
  );
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  const nice = lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10;
  return nice * power;
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(Math.min(12, decimals + 1)));
}
