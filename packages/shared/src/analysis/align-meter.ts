import type { PowerSample } from './integrate-energy.ts';
import type { MeterCsv } from './parse-meter-csv.ts';

export interface MeterAlignment {
  /** Unix time of the meter's first instant, ms; needed when its times are relative. */
  startedAtUnixMs: number | null;
  /** What the meter's clock is ahead of the device's, ms. */
  aheadMs: number;
  /** One instant on both clocks. */
  anchor: { unixMs: number; clockUs: number };
}

/** A figure above this is no Raspberry Pi, no PC and no fuse either. */
const maxPowerW = 5_000;

/** Rows of a meter as samples on the anchor's clock; a reason when nothing says when they were taken. */
export function alignMeter(csv: MeterCsv, alignment: MeterAlignment): PowerSample[] | { reason: string } {
  const { startedAtUnixMs, aheadMs, anchor } = alignment;
  if (csv.clock === 'relative' && startedAtUnixMs === null) {
    return { reason: 'the times of this file are relative: say when the meter was started' };
  }
  const shiftMs = (csv.clock === 'relative' ? (startedAtUnixMs ?? 0) : 0) - aheadMs - anchor.unixMs;
  const impossible = csv.rows.find(({ powerW }) => !(powerW >= 0 && powerW <= maxPowerW));
  if (impossible) return { reason: `the meter says ${impossible.powerW} W` };
  return csv.rows.map(({ atMs, powerW }) => ({
    atUs: anchor.clockUs + (atMs + shiftMs) * 1_000,
    powerW,
    energyJ: null,
  }));
}
