import { unprocessable } from '../../errors.ts';
import { runInThread } from '../../run-in-thread.ts';
import { type MeterAtRun, type MeterFile, readMeterFile } from './read-meter-file.ts';

/** Shorter ones are parsed in less time than a thread takes to start. */
const shortCharacters = 100_000;

/** What a meter says of a Run; a long file in a thread of its own. Rejects with a problem that names the line. */
export async function readMeter(file: MeterFile): Promise<MeterAtRun> {
  if (file.text.length <= shortCharacters) return readMeterFile(file);
  const reason = 'it takes too long to be read';
  const remedy = 'Cut it to the minutes around the run.';
  return runInThread<MeterAtRun>({
    module: './meter-worker',
    from: import.meta.url,
    data: file,
    tooMuch: unprocessable('The file cannot be used.', [{ field: 'body', reason, remedy }]),
  });
}
