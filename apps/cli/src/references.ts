import { parseReference, type Reference } from '@mqttlab/shared/domain/runs/reference';
import { countingAttempt, type RunRow, runCode } from '@mqttlab/shared/domain/runs/run';
import { plural } from '@mqttlab/shared/format/number';
import { type AccessRole, accessRoles } from '@mqttlab/shared/messages/access';
import { type CommandContext, usageError } from './cli.ts';

/**
 * Returns the experiment that an argument specifies, for example "E-12" or "12". Throws a usage error, also
 * if the text specifies a run. `command` is named in the error message.
 */
export function parseExperimentId(text: string, command: string): number {
  const reference = parseReference(text);
  if (reference === null) {
    throw usageError(`"${text}" is not an experiment; give its number, like 12 or E-12`);
  }
  if (reference.trial !== null) {
    throw usageError(`"${text}" is a run; ${command} needs an experiment: E-${reference.experiment}`);
  }
  return reference.experiment;
}

/**
 * Returns the experiment or run that `words` specify, for example ["E-2,", "run", "1"]. Throws a usage error
 * if they are invalid.
 */
export function parseSubject(words: readonly string[]): Reference {
  const text = words.join(' ');
  const reference = parseReference(text);
  if (reference !== null) return reference;
  throw usageError(
    `"${text}" is not an experiment or a run; use the name shown on the page, like E-12 or "E-12, run 3"`,
  );
}

/**
 * Finds the run that `words` specify, by the name shown on the page or by id. Throws a usage error if there
 * is none.
 */
export async function findRun(
  { api }: Pick<CommandContext, 'api'>,
  words: readonly string[],
): Promise<Pick<RunRow, 'id' | 'experimentId' | 'trialNumber' | 'attempt'>> {
  const text = words.join(' ');
  if (/^\d{1,9}$/.test(text)) return api.call('GET /runs/{id}', { params: { id: Number(text) } });
  const reference = parseReference(text);
  if (reference === null) {
    throw usageError(`"${text}" is not a run; use the name shown on the page, like "E-12, run 3", or its id`);
  }
  return findNamedRun({ api }, reference);
}

/**
 * Finds a run by the name shown on the page. If a trial has several attempts, returns the attempt that
 * counts. Throws a usage error if there is none.
 */
export async function findNamedRun(
  { api }: Pick<CommandContext, 'api'>,
  { experiment, trial, attempt }: Reference,
): Promise<RunRow> {
  const code = `E-${experiment}`;
  if (trial === null) {
    throw usageError(`"${code}" is an experiment; name one of its runs, like "${code}, run 1"`);
  }
  const { runs } = await api.wholeExperiment(experiment);
  const attempts = runs.filter((run) => run.trialNumber === trial);
  const last = Math.max(0, ...runs.map((run) => run.trialNumber));
  if (attempts.length === 0) {
    throw usageError(
      `${code} has no run ${trial}; ${last === 0 ? 'none of its runs has started' : `it has runs 1 to ${last}`}`,
    );
  }
  const found =
    attempt === null ? countingAttempt(attempts) : attempts.find((run) => run.attempt === attempt);
  if (found) return found;
  const times = attempts.length === 1 ? 'once' : plural(attempts.length, 'time');
  const name = runCode({ experimentId: experiment, trialNumber: trial, attempt: 1 });
  throw usageError(`${name} has no attempt ${attempt}; it was tried ${times}`);
}

/**
 * Parses an access role. `where` is the argument that the error message names. Throws a usage error if the
 * role is unknown.
 */
export function parseAccessRole(text: string, where: string): AccessRole {
  const role = accessRoles.find((known) => known === text);
  if (!role) throw usageError(`${where}: choose one of ${accessRoles.join(', ')}`);
  return role;
}
