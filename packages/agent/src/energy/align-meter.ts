import { checkPower, type EnergySample, makeSample } from './energy-source.ts';
import type { MeterCsv } from './parse-meter-csv.ts';

export interface MeterAlignment {
  /** Unix time of the meter's first instant, ms; needed when its times are relative. */
  startedAtUnixMs: number | null;
  /** What the meter's clock is ahead of the device's, ms. */
  aheadMs: number;
  /** One instant on both clocks of the device. */
  anchor: { unixMs: number; clockUs: number };
}

/** Rows of a meter as samples on the device's clock; a reason when nothing says when they were taken. */
export function alignMeter(csv: MeterCsv, alignment: MeterAlignment): EnergySample[] | { reason: string } {
  const { startedAtUnixMs, aheadMs, anchor } = alignment;
  if (csv.clock === 'relative' && startedAtUnixMs === null) {
    return { reason: 'the times of this file are relative: say when the meter was started' };
  }
  const shiftMs = (csv.clock === 'relative' ? (startedAtUnixMs ?? 0) : 0) - aheadMs - anchor.unixMs;
  return csv.rows.map(({ atMs, powerW }) =>
    makeSample(anchor.clockUs + (atMs + shiftMs) * 1_000, checkPower(powerW, 'the meter')),
  );
}
