import { type Axis, niceAxis } from '@mqttlab/charts/drawing/axis';
import { columnsOf } from '@mqttlab/charts/table';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';
import type { ChartTable } from './chart-table.ts';

/** One phase of a run on one device; null where it was not measured. */
export type PhaseCost = {
  name: string;
  /** Set-up and load have an axis each: milliseconds beside seconds. */
  part: 'set-up' | 'load';
  timeMs: number | null;
  cpuMs: number | null;
  bytes: number | null;
  energyJ: number | null;
};

export type PhaseQuantity = 'time' | 'cpu' | 'bytes' | 'energy';

export type QuantityLook = {
  key: PhaseQuantity;
  head: string;
  unit: string;
  read: (phase: PhaseCost) => number | null;
};

export const PHASE_QUANTITIES: readonly QuantityLook[] = [
  { key: 'time', head: 'Time', unit: 'ms', read: (phase) => phase.timeMs },
  { key: 'cpu', head: 'CPU time', unit: 'ms', read: (phase) => phase.cpuMs },
  { key: 'bytes', head: 'Bytes', unit: 'B', read: (phase) => phase.bytes },
  { key: 'energy', head: 'Energy', unit: 'J', read: (phase) => phase.energyJ },
];

/** The quantities that at least one phase has. */
export function measuredQuantities(phases: readonly PhaseCost[]): QuantityLook[] {
  return PHASE_QUANTITIES.filter((look) => phases.some((phase) => look.read(phase) !== null));
}

export type WaterfallPart = { name: 'set-up' | 'load'; unit: string; axis: Axis };

export type WaterfallBar = {
  phase: PhaseCost;
  /** In the part's display unit, counted from the part's start. */
  from: number;
  to: number;
};

export type Waterfall = { parts: readonly WaterfallPart[]; bars: readonly WaterfallBar[] };

/** Each bar begins where the one before it ended; set-up and load each begin at zero in a unit of their own. */
export function makeWaterfall(phases: readonly PhaseCost[], look: QuantityLook): Waterfall {
  const bars: WaterfallBar[] = [];
  const parts = (['set-up', 'load'] as const).flatMap((name): WaterfallPart[] => {
    const own = phases.filter((phase) => phase.part === name);
    if (own.length === 0) return [];
    const total = own.reduce((sum, phase) => sum + (look.read(phase) ?? 0), 0);
    const display = displayUnit(total, look.unit);
    let at = 0;
    for (const phase of own) {
      const to = at + (look.read(phase) ?? 0) * display.multiplier;
      bars.push({ phase, from: at, to });
      at = to;
    }
    return [
      { name, unit: display.unit, axis: niceAxis({ min: 0, max: total * display.multiplier, steps: 4 }) },
    ];
  });
  return { parts, bars };
}

/** "48.6 ms", "2.21 kB", an en dash where nothing was measured or no byte was sent. */
export function phaseText(phase: PhaseCost, look: QuantityLook): string {
  const value = look.read(phase);
  return value === null ? '\u2013' : formatQuantity(value, look.unit);
}

export function waterfallTable(phases: readonly PhaseCost[]): ChartTable {
  const looks = measuredQuantities(phases);
  return {
    columns: columnsOf('Phase', 'Part', ...looks.map(({ head, unit }) => [head, unit] as const)),
    rows: phases.map((phase) => [phase.name, phase.part, ...looks.map((look) => look.read(phase))]),
  };
}
