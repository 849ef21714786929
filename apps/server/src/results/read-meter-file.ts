import { alignMeter, applyMeter, type MeterReadings } from '@mqttlab/shared/analysis/apply-meter';
import { parseMeterCsv } from '@mqttlab/shared/analysis/parse-meter-csv';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { MeterQuery } from '@mqttlab/shared/messages/meter';
import { unprocessable } from '../base/errors.ts';

/** Extra time stored before and after the idle time, so that both of its ends are between two samples. */
const idleMarginMs = 5_000;
/** Maximum number of reported lines in an invalid file. */
const maxIssues = 20;

export interface MeterFile {
  text: string;
  query: MeterQuery;
  /** Start of the measure phase, Unix ms. */
  measuredAt: number;
  /** Result of the device whose supply the meter measured. */
  result: RoleResult;
  times: Parameters<typeof applyMeter>[2];
  /** Idle time to store in addition to the detected idle time, in ms from the start of the measure phase. */
  near: Stretch;
}

interface Stretch {
  fromMs: number;
  toMs: number;
}

export interface MeterAtRun {
  /** Samples near the run and near its idle time. */
  readings: MeterReadings;
  /** Energy determined from the whole file; null if it cannot be determined. */
  energy: RoleResult['energy'];
}

/** Reads the part of a file that concerns a run. Throws a problem that names line and remedy. */
export function readMeterFile({ text, query, measuredAt, result, times, near }: MeterFile): MeterAtRun {
  const file = parseReadings(text, query, measuredAt);
  const { energy } = applyMeter(result, file, times);
  const { baselineWindow: idle = null } = energy ?? {};
  const idleNear =
    idle === null ? [] : [{ fromMs: idle.fromMs - idleMarginMs, toMs: idle.toMs + idleMarginMs }];
  return { readings: keepNear(file, [near, ...idleNear]), energy };
}

function parseReadings(text: string, query: MeterQuery, measuredAt: number): MeterReadings {
  const csv = parseMeterCsv(text);
  if ('issues' in csv) {
    throw unprocessable(
      'This is not a meter file.',
      csv.issues
        .slice(0, maxIssues)
        .map(({ line, reason }) => ({
          field: `line ${line}`,
          reason,
          remedy: 'Export time and power, or time, voltage and current, with a header line.',
        })),
    );
  }
  const samples = alignMeter(csv, {
    startedAtUnixMs: query.startedAt ?? null,
    aheadMs: query.aheadMs ?? 0,
    anchor: { unixMs: measuredAt, clockUs: 0 },
  });
  if ('reason' in samples) {
    const { reason } = samples;
    const remedy = 'Send "startedAt", the Unix time of the first row in ms, or a file with dates.';
    throw unprocessable('The file is not valid.', [{ field: 'startedAt', reason, remedy }]);
  }
  return {
    name: query.name ?? 'uploaded meter',
    timesMs: samples.map(({ atUs }) => atUs / 1_000),
    powerW: samples.map(({ powerW }) => powerW ?? 0),
  };
}

/** Returns the samples within one of the intervals. */
function keepNear({ name, timesMs, powerW }: MeterReadings, stretches: readonly Stretch[]): MeterReadings {
  const isNear = (timeMs: number) => stretches.some(({ fromMs, toMs }) => timeMs >= fromMs && timeMs <= toMs);
  return {
    name,
    timesMs: timesMs.filter(isNear),
    powerW: powerW.filter((_watts, index) => isNear(timesMs[index] ?? Number.NaN)),
  };
}
