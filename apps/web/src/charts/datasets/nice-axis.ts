export type NiceAxis = {
  min: number;
  max: number;
  step: number;
  ticks: readonly number[];
  decimals: number;
  isLog?: true;
};

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

/** An axis that ends at or just above its data, at a tick or half-way to the next: no room is wasted. */
export function tightAxis(request: NiceAxisRequest): NiceAxis {
  const { step, ticks, decimals } = niceAxis(request);
  const half = step / 2;
  const min = round(Math.floor(request.min / half + 1e-9) * half, decimals + 1);
  const max = round(Math.ceil(request.max / half - 1e-9) * half, decimals + 1);
  if (!(max > min)) return niceAxis(request);
  return { min, max, step, decimals, ticks: ticks.filter((tick) => tick >= min && tick <= max) };
}

/** Exactly the given range: even steps where they are short numbers, round ticks inside it otherwise. */
export function fixedAxis({ min, max, steps = 4 }: NiceAxisRequest): NiceAxis {
  const even = (max - min) / steps;
  const nice = niceAxis({ min, max, steps });
  const isShort = (value: number) => Math.abs(Number(value.toPrecision(2)) - value) <= Math.abs(even) * 1e-6;
  if (!(even > 0) || !isShort(even) || !isShort(min)) {
    return { ...nice, min, max, ticks: nice.ticks.filter((tick) => tick >= min && tick <= max) };
  }
  const decimals = Math.min(6, (String(Number(even.toPrecision(2))).split('.')[1] ?? '').length);
  const ticks = Array.from({ length: steps + 1 }, (_, i) => round(min + i * even, decimals));
  return { min, max, step: even, ticks, decimals };
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
