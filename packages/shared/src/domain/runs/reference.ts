/** Reference to an experiment or one of its runs. */
export interface Reference {
  experiment: number;
  /** Number of the trial within the experiment; null if the reference is to the experiment itself. */
  trial: number | null;
  /** null if the reference does not name an attempt and therefore refers to the attempt that counts. */
  attempt: number | null;
}

const number = '([1-9]\\d{0,8})';
const pattern = new RegExp(
  `^(?:e-?)?\\s*${number}(?:(?:[\\s,]+(?:run\\s*|#)\\s*|\\s*[/#]\\s*)${number}(?:[\\s,]+attempt\\s*${number}|\\s*/\\s*${number})?)?$`,
  'i',
);

/**
 * Parses a reference in the forms used by pages, file names and users: "E-2", "2", "E-2, run 1", "E-2 run 1,
 * attempt 2", "E-2/1". Returns null for all other texts.
 */
export function parseReference(text: string): Reference | null {
  const found = pattern.exec(text.trim());
  if (!found) return null;
  const [, experiment, trial, attempt = found[4]] = found;
  return {
    experiment: Number(experiment),
    trial: trial === undefined ? null : Number(trial),
    attempt: attempt === undefined ? null : Number(attempt),
  };
}
