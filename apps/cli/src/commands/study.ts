import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import type { StudyPartView, StudyRun, StudyView } from '@mqttlab/shared/messages/studies';
import { answerWords } from '@mqttlab/studies/claims/board';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { readText, writeOutput } from '../files.ts';
import { concludeExperiment, type OutcomeOptions, strictOption } from '../follow-experiment.ts';
import { parseExperimentId } from '../references.ts';
import { formatDuration, renderTable } from '../terminal.ts';

const scales = ['smoke', 'bench', 'full'] as const;

const missing = 'study needs "list", "run", "show", "save", "export" or "import"';

export function addStudy(cli: Cli): void {
  const study = cli.group('study', {
    does: 'List the published studies and your own studies, run one, or share one as a file.',
    refusal: missing,
  });

  study
    .command('list', {
      does: 'List the published studies and your own studies, part by part.',
      examples: ['study list'],
    })
    .action(cli.runs(listStudies));

  study
    .command('run', {
      does: 'Run a study and follow it.',
      examples: ['study run v2x-tls --scale bench --part a'],
    })
    .argument('<ID>', missing)
    .option('--scale <SCALE>', 'smoke (default), bench or full')
    .option('--part <PART>', 'only this part')
    .option(...strictOption)
    .action(
      cli.runs(async (context, id, { scale: wanted = 'smoke', part, ...outcome }) => {
        const { api, note } = context;
        const scale = scales.find((known) => known === wanted);
        if (!scale) throw usageError(`--scale: choose one of ${scales.join(', ')}`);
        const { items, testbedId } = await api.call('GET /studies');
        const parts = chooseParts(findStudy(items, id), part);
        const run = await api.call('POST /study-runs', {
          body: { studyId: id, testbedId, scale, parts: parts.map((chosen) => chosen.id) },
        });
        for (const { id: partId, leftOut } of run.parts) {
          for (const { what, reason } of leftOut) note(`Omitted from part ${partId}: ${what} (${reason})`);
        }
        const code = await followParts(context, run, outcome);
        note(`Compared with the published values: ${api.server}/studies/runs/${run.id}`);
        return code;
      }),
    );

  study
    .command('show', {
      does: 'Print the claims of a study with the answers from its last run on this server.',
      examples: ['study show v2x-tls'],
    })
    .argument('<ID>', missing)
    .action(cli.runs(showStudy));

  study
    .command('save', {
      does: 'Save an experiment as a study.',
      form: 'EXPERIMENT TITLE',
      examples: ['study save E-12 "Cost of TLS on our gateway"'],
    })
    .argument('<EXPERIMENT>', missing)
    .argument('<TITLE...>', 'study save needs a title after the experiment')
    .action(
      cli.runs(async (context, experiment, words) => {
        const experimentIds = [parseExperimentId(experiment, 'study save')];
        const made = await context.api.call('POST /studies', {
          body: { experimentIds, title: words.join(' ') },
        });
        return printStudy(context, made);
      }),
    );

  study
    .command('export', { does: 'Write a study as YAML.', examples: ['study export v2x-tls -o v2x-tls.yaml'] })
    .argument('<ID>', missing)
    .option('-o, --output <FILE>', 'write to a file (default: standard output)')
    .action(
      cli.runs(async ({ api, print, note }, id, { output }) => {
        const text = await (await api.file('GET /studies/{id}/study.yaml', { params: { id } })).text();
        if (output === undefined) print(text);
        else {
          await writeOutput(output, text);
          note(`${output}: ${text.length} characters`);
        }
        return 0;
      }),
    );

  study
    .command('import', { does: 'Import a study file.', examples: ['study import v2x-tls.yaml'] })
    .argument('<FILE>', missing)
    .action(
      cli.runs(async (context, path) => {
        const text = await readText(path);
        return printStudy(context, await context.api.call('POST /studies/import', { body: { text } }));
      }),
    );
}

/** Prints every study, part by part, with the duration of each scale. */
async function listStudies({ api, json, print }: CommandContext): Promise<ExitCode> {
  const answer = await api.call('GET /studies');
  if (json) print(JSON.stringify(answer));
  else {
    const columns = ['Id', 'Part', ...scales, 'Title'].map((head) => ({ head }));
    const rows = answer.items.flatMap(({ id, title, own, parts }) =>
      parts.map((part) => [
        id,
        part.id,
        ...scales.map((scale) => durationOf(part, scale)),
        `${title}: ${part.title}${own ? ' (custom)' : ''}`,
      ]),
    );
    print(renderTable(columns, rows));
  }
  return 0;
}

function durationOf({ scales: known }: StudyPartView, wanted: string): string {
  const cost = known.find(({ scale }) => scale === wanted);
  return cost ? formatDuration(cost.durationMs) : 'gap';
}

/** Prints the claims from the latest results of a study, one line per claim. */
async function showStudy({ api, json, print, note }: CommandContext, id: string): Promise<ExitCode> {
  const study = findStudy((await api.call('GET /studies')).items, id);
  if (!study.board) {
    print(json ? 'null' : `${study.title}: no claim has been answered yet. Run it: mqttlab study run ${id}`);
    return 0;
  }
  const { studyRunId, scale, answers } = study.board;
  const board = await api.call('GET /study-runs/{id}/board', { params: { id: studyRunId }, query: {} });
  if (json) {
    print(JSON.stringify(board));
    return 0;
  }
  print(`${study.title}, ${scale} scale: ${answerWords(answers)}`);
  for (const { id: claim, answer, says, sentence } of board.claims) {
    print(`${claim.padEnd(4)}${answer.padEnd(14)}${says} ${sentence}`);
  }
  for (const { part, reason } of board.missing) note(`Missing in part ${part}: ${reason}`);
  note(`${api.server}/studies/runs/${studyRunId}`);
  return 0;
}

function printStudy({ json, print, note, api }: CommandContext, file: StudyFile): ExitCode {
  if (json) print(JSON.stringify(file));
  else print(`${file.id}  ${file.title}: ${file.parts.length} ${file.parts.length === 1 ? 'part' : 'parts'}`);
  note(`${api.server}/studies`);
  return 0;
}

function findStudy(items: readonly StudyView[], id: string): StudyView {
  const found = items.find((item) => item.id === id);
  if (found) return found;
  throw usageError(`there is no study "${id}"; choose ${items.map((item) => item.id).join(', ')}`);
}

function chooseParts({ id, parts }: StudyView, wanted: string | undefined): StudyPartView[] {
  const runnable = parts.filter(({ scales: known }) => known.length > 0);
  const chosen = runnable.filter((part) => wanted === undefined || part.id === wanted);
  if (chosen.length > 0) return chosen;
  const gap = parts.find((part) => part.id === wanted)?.leftOut[0];
  const why = gap ? `cannot be run: ${gap.what}: ${gap.reason}` : `is not a part of ${id}`;
  throw usageError(`--part: "${wanted}" ${why}; choose ${runnable.map((part) => part.id).join(', ')}`);
}

/**
 * Follows every part, one after the other. Returns the worst exit code, which is 0 only if no part had a
 * failed run.
 */
async function followParts(
  context: CommandContext,
  { parts }: StudyRun,
  outcome: OutcomeOptions,
): Promise<ExitCode> {
  let worst: ExitCode = 0;
  for (const { id, title, experimentId } of parts) {
    if (experimentId === null) continue;
    context.note(`Part ${id}, ${title}: E-${experimentId}`);
    const code = await concludeExperiment(context, experimentId, outcome);
    if (code !== 0 && worst !== 1) worst = code;
  }
  return worst;
}
