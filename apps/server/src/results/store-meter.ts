import type { MeterReadings } from '@mqttlab/shared/analysis/apply-meter';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { type RunDetail, runCode, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import type { MeterQuery, MeterUpload } from '@mqttlab/shared/messages/meter';
import { runInThread } from '../base/child-programs.ts';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { StoredResult } from '../store/runs/run-results.ts';
import type { AnalysisStores } from './compare.ts';
import { finishRun } from './finish-run.ts';
import { type MeterAtRun, type MeterFile, readMeterFile } from './read-meter-file.ts';

/**
 * Time in ms that is stored before and after the phases of the run, in addition to the detected idle time.
 */
const marginMs = 30_000;

/**
 * Aligns a meter's readings during a run by the clocks of the meter and the server, stores them, and
 * recomputes the run. Only an earlier file about the same device is replaced. Throws a problem that names
 * line and remedy if the file is not from a meter, does not cover the measure phase or has no usable time;
 * nothing is then stored.
 */
export async function takeMeter(
  stores: AnalysisStores,
  runId: number,
  { query, text }: { query: MeterQuery; text: string },
): Promise<MeterUpload> {
  const detail = findWithSeries(stores, runId);
  const { measuredAt } = detail;
  const { deviceId, result } = findMeasured(stores.runs.readStoredResults(runId), runCode(detail), query);
  const measure = result?.phases.find(({ phase }) => phase === 'measure');
  if (detail.status !== 'done' || measuredAt === null || !result || !measure) {
    throw conflict(
      `${runCode(detail)} has no measure phase for the ${query.role}, so no meter can be added.`,
      'Choose a completed run.',
    );
  }
  const beginMs = (Math.min(...result.phases.map(({ startUs }) => startUs)) - measure.startUs) / 1_000;
  const endMs = Math.max(...result.phases.map((record) => record.startUs + record.durationUs));
  const near = { fromMs: beginMs - marginMs, toMs: (endMs - measure.startUs) / 1_000 + marginMs };
  const times = stores.runs.readMeterRunTimes(runId, deviceId);
  const { readings, energy } = await readMeter({ text, query, measuredAt, result, times, near });
  if (!energy || energy.measureJ === null) throw doesNotCover(readings, measure.durationUs / 1_000);
  // Retention may have removed the series while a long file was being read; without them no metric could be
  // computed.
  findWithSeries(stores, runId);
  stores.runs.saveMeter({ runId, role: query.role, deviceId, readings });
  finishRun(stores, runId);
  return {
    role: query.role,
    device: result.device,
    samples: readings.timesMs.length,
    fromMs: readings.timesMs[0] ?? 0,
    toMs: readings.timesMs.at(-1) ?? 0,
    measureJ: energy.measureJ,
    baselineW: energy.baselineW,
    baselineWindow: energy.baselineWindow ?? null,
    gaps: energy.gaps ?? null,
  };
}

/** Returns a run. Throws a 404 problem if it does not exist, and a 409 problem if its series were removed. */
function findWithSeries({ runs }: AnalysisStores, runId: number): RunDetail {
  const detail = runs.findRunDetail(runId);
  if (!detail) throw notFound('run', runId);
  const gone = whySeriesGone(detail);
  if (gone === null) return detail;
  throw conflict(`${runCode(detail)}: ${gone}`, 'Add the meter to a run that has its series.');
}

/**
 * Returns the result of the device whose supply the meter measured. Otherwise throws a problem that
 * lists the possible devices.
 */
function findMeasured(
  results: readonly StoredResult[],
  code: string,
  { role, device }: MeterQuery,
): { deviceId: string; result: RoleResult | null } {
  const inRole = results.filter(({ result }) => result.role === role);
  const meant = inRole.filter(
    ({ deviceId, result }) => device === undefined || deviceId === device || result.device === device,
  );
  const [only] = meant;
  if (meant.length === 1 && only) return only;
  if (inRole.length === 0) return { deviceId: '', result: null };
  const names = inRole.map(({ result }) => result.device).join(', ');
  throw unprocessable('A meter measures one device.', [
    {
      field: 'device',
      reason:
        device === undefined
          ? `${inRole.length} devices had the role ${role} in ${code}`
          : `${device} did not have the role ${role} in ${code}`,
      remedy: `Choose one of ${names}.`,
    },
  ]);
}

function doesNotCover({ timesMs }: MeterReadings, measureMs: number) {
  const [from, to] = [timesMs[0], timesMs.at(-1)];
  const has =
    from === undefined || to === undefined
      ? 'no rows are near the run'
      : `rows near the run range from ${(from / 1_000).toFixed(1)} s to ${(to / 1_000).toFixed(1)} s`;
  return unprocessable('The meter does not cover the run.', [
    {
      field: 'body',
      reason: `${has}; the measure phase lasts from 0 s to ${(measureMs / 1_000).toFixed(1)} s, and must be covered without a gap`,
      remedy: 'Check the meter’s clock; "aheadMs" states how far it is ahead of the server’s clock, in ms.',
    },
  ]);
}

/** Shorter files are parsed in less time than a thread needs to start. */
const shortCharacters = 100_000;

/** Reads a meter file, in a separate thread if it is long. Rejects with a problem that names the line. */
async function readMeter(file: MeterFile): Promise<MeterAtRun> {
  if (file.text.length <= shortCharacters) return readMeterFile(file);
  const reason = 'it takes too long to read';
  const remedy = 'Shorten it to the minutes around the run.';
  return runInThread<MeterAtRun>({
    module: './meter-worker',
    from: import.meta.url,
    data: file,
    tooMuch: unprocessable('The file is not valid.', [{ field: 'body', reason, remedy }]),
  });
}
