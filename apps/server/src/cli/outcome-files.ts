import { appendFile } from 'node:fs/promises';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import type { JudgedThreshold, ThresholdOutcome } from '@mqttlab/shared/analysis/judge-thresholds';
import { failedIds, isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { countingAttempt, type RunRow } from '@mqttlab/shared/domain/runs/run';
import { UsageError } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { writeOutput } from './files.ts';
import type { Table } from './table.ts';

/** Whether a threshold stands against the exit code 0. */
export function isAgainst(outcome: ThresholdOutcome, strict: boolean): boolean {
  return outcome !== 'held' && (strict || outcome !== 'not resolved');
}

/**
 * Runs that fail a strict check: flagged for the metric of a threshold, or for any metric if the plan has no thresholds.
 * Of the attempts at a trial only the one that counts is considered.
 */
export function flaggedRuns({ plan, runs }: Pick<ExperimentDetail, 'plan' | 'runs'>): RunRow[] {
  const judged = new Set(plan?.thresholds.map(({ metric }) => metric));
  const isFlagged = (run: RunRow) => {
    const failed = failedIds(run.verdicts);
    if (judged.size === 0) return run.flagged;
    return [...judged].some((metric) => isFlaggedForId({ flagged: run.flagged, failed }, metric));
  };
  const trials = [...Map.groupBy(runs, ({ trialNumber }) => trialNumber).values()];
  return trials.flatMap((attempts) => countingAttempt(attempts) ?? []).filter(isFlagged);
}

export interface Outcome {
  experiment: ExperimentDetail;
  thresholds: readonly JudgedThreshold[];
  /** What the response lets one say. */
  sentences: readonly string[];
  tables: readonly Table[];
}

/** Writes what pipelines read, where it is asked for. Throws UsageError where a file cannot be written. */
export async function writeOutcomeFiles({ args }: CommandContext, outcome: Outcome): Promise<void> {
  const { junit, summary, strict } = args;
  if (junit !== null) await writeOutput(junit, makeJunit(outcome, strict));
  if (summary === null) return;
  // At the end, as the file that GitHub names wants it.
  await appendFile(summary, makeMarkdown(outcome)).catch((error: Error) => {
    throw new UsageError(`cannot write ${summary}: ${error.message}`);
  });
}

interface Case {
  name: string;
  seconds: number;
  fault: { kind: 'failure' | 'error' | 'skipped'; message: string } | null;
}

/** Every trial and every judged threshold as a test case. */
function makeJunit({ experiment, thresholds }: Outcome, strict: boolean): string {
  const nameOf = (key: string) =>
    experiment.plan?.treatments.find((entry) => entry.key === key)?.shortLabel ?? key;
  const flagged = flaggedRuns(experiment).map(({ id }) => id);
  const newest = new Map(experiment.runs.map((run) => [run.trialNumber, run]));
  const runs = [...newest.values()].map(
    ({ id, trialNumber, treatmentKey, block, status, failure, verdicts, ...run }): Case => {
      const failed = failedIds(verdicts);
      const message = failure ? `${failure.message} ${failure.remedy}` : status;
      return {
        name: `run ${trialNumber}: ${nameOf(treatmentKey)}, repetition ${block}`,
        seconds: ((run.finishedAt ?? 0) - (run.startedAt ?? run.finishedAt ?? 0)) / 1000,
        fault:
          status !== 'done'
            ? { kind: 'error', message }
            : strict && flagged.includes(id)
              ? { kind: 'failure', message: `flagged: ${failed.join(', ')}` }
              : null,
      };
    },
  );
  const judged = thresholds.map(({ rule, treatment, outcome, measured, lo }): Case => {
    const message = `${outcome}: ${measured}${outcome === 'not resolved' ? `; ${whyNotResolved(lo)}` : ''}`;
    const kind = isAgainst(outcome, strict) ? 'failure' : 'skipped';
    return {
      name: `${rule}, ${treatment.treatment.shortLabel}`,
      seconds: 0,
      fault: outcome === 'held' ? null : { kind, message },
    };
  });
  const suite = `E-${experiment.id} ${experiment.name}`;
  const suites = [makeSuite(`${suite}: runs`, runs), makeSuite(`${suite}: thresholds`, judged)];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="mqttlab">\n${suites.join('')}</testsuites>\n`;
}

/** `lo`: lower end of the interval of a threshold that is not resolved, null without an interval. */
function whyNotResolved(lo: number | null): string {
  return lo === null
    ? `there is no interval below ${minRuns} valid runs`
    : 'the limit is inside the 95 % interval, which more repetitions narrow';
}

function makeSuite(name: string, cases: readonly Case[]): string {
  const count = (kind: string) => cases.filter(({ fault }) => fault?.kind === kind).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const lines = cases.map(({ name: title, seconds, fault }) => {
    const attributes = `name="${escapeXml(title)}" classname="${escapeXml(name)}" time="${seconds.toFixed(3)}"`;
    return fault === null
      ? `    <testcase ${attributes}/>\n`
      : `    <testcase ${attributes}><${fault.kind} message="${escapeXml(fault.message)}"/></testcase>\n`;
  });
  return `  <testsuite name="${escapeXml(name)}" ${counts}>\n${lines.join('')}  </testsuite>\n`;
}

/** Also without what XML 1.0 cannot hold at all (section 2.2). */
function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .toWellFormed()
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\n', ' ')
  );
}

function makeMarkdown({ experiment, sentences, tables }: Outcome): string {
  const plain = (text: string) => text.replace(/[\\|<>[\]`*_]/g, '\\$&').replaceAll('\n', ' ');
  const row = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`;
  return [
    `## E-${experiment.id} ${plain(experiment.name)}`,
    ...sentences.map((sentence) => plain(sentence)),
    ...tables.map(({ columns, rows }) =>
      [
        row(columns.map(({ head }) => head)),
        `| ${columns.map(({ align }) => (align === 'right' ? '---:' : '---')).join(' | ')} |`,
        ...rows.map(row),
      ].join('\n'),
    ),
    '',
  ].join('\n\n');
}
