import { basename } from 'node:path';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { describeIssue, type Issue } from '@mqttlab/shared/domain/issue';
import { foreignWords } from '@mqttlab/shared/domain/runs/import-marks';
import { unknownMetric } from '@mqttlab/shared/foreign/plan-foreign';
import { readTable } from '@mqttlab/shared/foreign/read-table';
import { readerOf, toolNames } from '@mqttlab/shared/foreign/tool-output';
import type { ForeignRun } from '@mqttlab/shared/messages/foreign';
import { type Cli, usageError } from '../cli.ts';
import { readText } from '../files.ts';

export function addImportCsv(cli: Cli): void {
  cli
    .command('import-csv', {
      does: 'Import measurements from another tool as an experiment marked as foreign. Accepts a CSV file with one row per run, or the output of a known tool in one file per run.',
      form: 'FILE ...',
      examples: [
        'import-csv results.csv --map latency.p50=p50_ms rate.messages=rate --treatment broker --tool my-script',
        'import-csv --format mqtt-benchmark plain=plain-1.json plain=plain-2.json tls=tls-1.json tls=tls-2.json',
        'import-csv --format emqtt-bench plain=sub-plain.log tls=sub-tls.log',
      ],
    })
    .argument('<FILE...>', 'name a CSV file or, with --format, one file per run')
    .option('--map <METRIC=COLUMN...>', 'the column for each metric, with values in the unit of the metric')
    .option('--treatment <COLUMN>', 'the column with the treatment names')
    .option('--started-at <COLUMN>', 'the column with the start time of each run')
    .option(
      '--format <TOOL>',
      `output of a tool: ${toolNames.join(' or ')}; write TREATMENT=FILE for each run`,
    )
    .option('--tool <NAME>', 'name of the tool that took the measurements (default: from --format)')
    .option('--name <TEXT>', 'name of the experiment (default: the name of the tool)')
    .option('--response <METRIC>', 'the metric of interest')
    .option('--baseline <TREATMENT>', 'the treatment that others are compared with (default: the first)')
    .action(
      cli.runs(async ({ api, json, print, note }, files, options) => {
        const { format, map = [], treatment = null, startedAt = null, name, ...chosen } = options;
        const tool = chosen.tool ?? format;
        if (tool === undefined) throw usageError('--tool: name the tool that took the measurements');
        const { runs, paths } =
          format === undefined
            ? await readCsv(files, { metrics: parseMap(map), treatment, startedAt })
            : await readOutputs(files, format);
        const { response, baseline } = chosen;
        const experiment = await api.call('POST /experiments/import-foreign', {
          body: {
            name: name ?? `Measured with ${tool}`,
            tool,
            source: paths
              .map((path) => basename(path))
              .join(', ')
              .slice(0, 2000),
            runs,
            ...(response === undefined ? {} : { response }),
            ...(baseline === undefined ? {} : { baseline }),
          },
        });
        if (json) print(JSON.stringify(experiment));
        else print(`E-${experiment.id} ${experiment.name}: ${experiment.progress.done} runs`);
        for (const id of new Set(runs.flatMap(({ metrics }) => Object.keys(metrics)))) {
          note(`${id} in ${findMetric(id)?.unit ?? ''}`);
        }
        if (experiment.imported?.foreign) note(foreignWords(experiment.imported.foreign));
        note(`${api.server}/experiments/${experiment.id}/report`);
        return 0;
      }),
    );
}

interface ReadFiles {
  runs: ForeignRun[];
  paths: readonly string[];
}

async function readCsv(
  paths: readonly string[],
  mapping: Parameters<typeof readTable>[1],
): Promise<ReadFiles> {
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0) throw usageError('name one CSV file');
  if (Object.keys(mapping.metrics).length === 0) {
    throw usageError('--map: name the column of at least one metric, like latency.p50=p50_ms');
  }
  const read = readTable(await readText(path), mapping);
  if (!read.ok) throw usageError(wordsOf(path, read.issues));
  return { runs: read.runs, paths };
}

async function readOutputs(words: readonly string[], format: string): Promise<ReadFiles> {
  const read = readerOf(format);
  if (!read) throw usageError(`--format: choose one of ${toolNames.join(', ')}`);
  const named = words.map((word) => {
    const at = word.indexOf('=');
    if (at < 1) throw usageError(`"${word}": write the treatment before the file, like plain=${word}`);
    return { treatment: word.slice(0, at), path: word.slice(at + 1) };
  });
  const runs = await Promise.all(
    named.map(async ({ treatment, path }) => {
      const output = read(await readText(path));
      if (!output.ok) throw usageError(wordsOf(path, [output.issue]));
      return { treatment, metrics: output.metrics };
    }),
  );
  return { runs, paths: named.map(({ path }) => path) };
}

/** Parses "latency.p50=p50_ms". Throws a usage error that suggests the most similar metric. */
function parseMap(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw usageError(`--map: write "${word}" as METRIC=COLUMN`);
      const id = word.slice(0, at);
      if (!findMetric(id)) throw usageError(describeIssue(unknownMetric(`--map ${id}`, id)));
      return [id, word.slice(at + 1)];
    }),
  );
}

function wordsOf(path: string, issues: readonly Issue[]): string {
  return [`${path} cannot be imported.`, ...issues.map((issue) => `  ${describeIssue(issue)}`)].join('\n');
}
