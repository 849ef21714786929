/** Exit code of the command line if only thresholds fail, so that a pipeline can distinguish them from failed runs. */
export const thresholdExitCode = 99;

/**
 * Exit codes of the command line. Help texts, documentation and the web page are generated from this table.
 */
export const exitCodes = [
  { code: 0, meaning: 'success', withStrict: null },
  {
    code: 1,
    meaning: 'a run, a check or a request failed',
    withStrict: 'a run is flagged for a threshold’s metric (for any metric if there are no thresholds)',
  },
  { code: 2, meaning: 'wrong usage', withStrict: null },
  {
    code: thresholdExitCode,
    meaning: 'a threshold is broken, or no valid run measured its metric',
    withStrict: 'a threshold is not resolved',
  },
] as const;

export type ExitCode = (typeof exitCodes)[number]['code'];

/** Returns the meaning of an exit code as the end of a sentence: "a run, a check or a request failed". */
export function meaningOf(code: ExitCode): string {
  return exitCodes.find((entry) => entry.code === code)?.meaning ?? '';
}
