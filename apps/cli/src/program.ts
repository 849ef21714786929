import { CommanderError } from '@commander-js/extra-typings';
import { type ExitCode, exitCodes } from '@mqttlab/shared/domain/exit-codes';
import { describeIssue } from '@mqttlab/shared/domain/issue';
import type { Failure } from '@mqttlab/shared/kit/failure';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import * as z from 'zod';
import about from '../package.json' with { type: 'json' };
import { trustAuthority } from './api.ts';
import { type AnyCommand, Cli, isUsageError, pathOf, type Terminal, type Usage, usageError } from './cli.ts';
import { addBackup } from './commands/backup.ts';
import { addClients } from './commands/clients.ts';
import { addCompare } from './commands/compare.ts';
import { addCompletion } from './commands/completion.ts';
import { addDemo } from './commands/demo.ts';
import { addDevice } from './commands/device.ts';
import { addEnrol } from './commands/enrol.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addImportCsv } from './commands/import-csv.ts';
import { addList } from './commands/list.ts';
import { addMeter } from './commands/meter.ts';
import { addPlan } from './commands/plan.ts';
import { addPreflight } from './commands/preflight.ts';
import { addRestore } from './commands/restore.ts';
import { addRun } from './commands/run.ts';
import { addShow } from './commands/show.ts';
import { addStart } from './commands/start.ts';
import { addStorage } from './commands/storage.ts';
import { addStudy } from './commands/study.ts';
import { addSupport } from './commands/support.ts';
import { addTestbed } from './commands/testbed.ts';
import { addTls } from './commands/tls.ts';
import { addToken } from './commands/token.ts';
import { addUser } from './commands/user.ts';
import { addWatch } from './commands/watch.ts';
import { addWebhook } from './commands/webhook.ts';
import { wrapText } from './terminal.ts';

/** Commands in the order in which the help lists them. */
const additions: readonly ((cli: Cli) => void)[] = [
  addRun,
  addPlan,
  addPreflight,
  addWatch,
  addList,
  addShow,
  addCompare,
  addExport,
  addImport,
  addImportCsv,
  addDevice,
  addTestbed,
  addEnrol,
  addMeter,
  addStudy,
  addClients,
  addWebhook,
  addUser,
  addStorage,
  addSupport,
  addTls,
  addDemo,
  addStart,
  addBackup,
  addRestore,
  addToken,
  addCompletion,
];

/** Adds every command. Nothing runs until arguments are parsed. */
export function addCommands(cli: Cli): Cli {
  const { program } = cli;
  const { columns, print } = cli.terminal;
  program.configureOutput({
    writeOut: (text) => print(text.trimEnd()),
    writeErr: () => undefined,
    outputError: () => undefined,
  });
  program.configureHelp({
    formatHelp: (command) =>
      command.parent === null ? makeHelp(cli.usages, columns) : makeCommandHelp(command, cli.usages, columns),
  });
  program.version(`mqttlab ${about.version}`, '-v, --version');
  program.allowExcessArguments().action(() => {
    const [name] = program.args;
    if (name !== undefined) throw usageError(`there is no command "${name}"`);
    print(makeHelp(cli.usages, columns));
  });
  for (const add of additions) add(cli);
  program
    .command('help', { hidden: true })
    .argument('[COMMAND...]')
    .action((names) => {
      const command = findCommand(program, names);
      if (command === program && names[0] !== undefined)
        throw usageError(`there is no command "${names[0]}"`);
      print(
        command === program ? makeHelp(cli.usages, columns) : makeCommandHelp(command, cli.usages, columns),
      );
    });
  return cli;
}

/** Returns every way to write a command, for the reference. */
export function listUsages(): readonly Usage[] {
  const nothing = () => undefined;
  const { signal } = new AbortController();
  return addCommands(new Cli({ env: {}, columns: 80, print: nothing, note: nothing, signal })).usages;
}

/** Runs one command. Every failure results in one clear message and an exit code. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const cli = addCommands(new Cli(terminal));
  try {
    trustAuthority(terminal.env);
    await cli.program.parseAsync(argv, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const command = findFailed(cli.program);
    const known = error instanceof CommanderError ? toUsageError(error, command) : error;
    return explain(known, { command, note: terminal.note });
  }
}

/** Returns the deepest command that the words specify. */
function findCommand(from: AnyCommand, [name, ...rest]: readonly string[]): AnyCommand {
  const next = from.commands.find((command) => command.name() === name);
  return next ? findCommand(next, rest) : from;
}

/** Returns the deepest command that was being parsed. */
function findFailed(from: AnyCommand): AnyCommand {
  const next = from.commands.find((command) => command.name() === from.args[0]);
  return next ? findFailed(next) : from;
}

function toUsageError({ code, message }: CommanderError, command: AnyCommand): Failure {
  if (code === 'commander.missingArgument') {
    const missing = command.registeredArguments[command.args.length];
    if (missing?.description) return usageError(missing.description);
  }
  return usageError(message.replace(/^error: /, '').replaceAll('\n', ' '));
}

function explain(
  error: unknown,
  { command, note }: { command: AnyCommand; note: (text: string) => void },
): ExitCode {
  if (isUsageError(error)) {
    note(`mqttlab: ${error.message}`);
    note(
      command.parent
        ? `"npm run mqttlab -- ${pathOf(command)} --help" shows how to use it.`
        : '"npm run mqttlab -- help" lists the commands.',
    );
    return 2;
  }
  if (error instanceof ApiError) {
    const { detail, remedy, issues } = error.problem;
    note(`mqttlab: ${detail} ${remedy}`.trim());
    for (const issue of issues) note(`  ${describeIssue(issue)}`);
    return 1;
  }
  if (error instanceof z.ZodError) {
    note(
      `mqttlab: the server sent an unexpected response (${z.prettifyError(error)}); does it have the same version?`,
    );
    return 1;
  }
  if (error instanceof Error && error.name === 'AbortError') {
    note('mqttlab: stopped watching; the experiment continues. "npm run mqttlab -- watch" follows it again.');
    return 1;
  }
  note(`mqttlab: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}

/** Column in which explanations start; a longer form is printed on a separate line. */
const explainAt = 34;

/** Options accepted by every command. Help texts and the reference list them once. */
export const commonOptions: readonly (readonly [form: string, does: string])[] = [
  ['--server URL', 'address of mqttlab (MQTTLAB_URL; default http://127.0.0.1:8080)'],
  ['--token TEXT', 'API token, if login is on (MQTTLAB_TOKEN)'],
  ['--json', 'results as JSON on standard output, progress as JSON lines on standard error'],
];

/** Returns the help of the program: every command, one form per line, and the exit codes. */
function makeHelp(usages: readonly Usage[], columns: number): string {
  const explain = makeExplainer(columns);
  return [
    'mqttlab: experiments on secure MQTT, from the command line.',
    '',
    'Usage: npm run mqttlab -- COMMAND',
    '       npm run mqttlab -- COMMAND --help   for its options and examples',
    '',
    ...usages.flatMap(({ line, does }) => explain(`  ${line}`, does)),
    '',
    ...commonOptions.flatMap(([form, does]) => explain(`  ${form}`, does)),
    '',
    ...explain('  --version', 'the version of this program'),
    '',
    'Exit codes:',
    ...exitCodes.flatMap(({ code, meaning, withStrict }) =>
      explain(`  ${code}`, withStrict === null ? meaning : `${meaning}; with --strict also if ${withStrict}`),
    ),
  ].join('\n');
}

/** Returns the help of a command, or of all commands of a group, with options and examples. */
function makeCommandHelp(command: AnyCommand, usages: readonly Usage[], columns: number): string {
  const explain = makeExplainer(columns);
  const shown = usages.filter((usage) => usage.command === command || usage.command.parent === command);
  return [
    ...wrapText(`mqttlab ${pathOf(command)}: ${command.description()}`, columns),
    ...shown.flatMap((usage) => [
      '',
      `  ${usage.line}`,
      // The first line states what a command without subcommands does.
      ...(shown.length > 1 ? wrapText(usage.does, columns - 6).map((line) => `      ${line}`) : []),
      ...listOptions(usage.command).flatMap(([form, does]) => explain(`      ${form}`, does)),
      ...usage.examples.flatMap((example) =>
        wrapText(`Example: ${example}`, columns - 6).map((line) => `      ${line}`),
      ),
    ]),
    '',
    '"npm run mqttlab -- help" lists all commands and common options.',
  ].join('\n');
}

/**
 * Returns the options of a command in the form in which they are written, with their descriptions: ["-o,
 * --output FILE", "..."].
 */
export function listOptions({ options }: Pick<AnyCommand, 'options'>): [form: string, does: string][] {
  return options.map(({ flags, description }) => [flags.replaceAll(/[<>]/g, ''), description]);
}

function makeExplainer(columns: number): (form: string, does: string) => string[] {
  return (form, does) => {
    const lines = wrapText(does, columns - explainAt);
    const [first = '', ...rest] = form.length > explainAt - 2 ? ['', ...lines] : lines;
    return [
      `${form.padEnd(explainAt)}${first}`.trimEnd(),
      ...rest.map((line) => ' '.repeat(explainAt) + line),
    ];
  };
}
