import { exitCodes } from '@mqttlab/shared/domain/exit-codes';
import { type AnyCommand, pathOf, type Usage } from './cli.ts';
import { wrapText } from './table.ts';

/** Column of the explanations; a longer form has its own line. */
const explainAt = 34;

/** Options of every command. Help texts and the reference list them once. */
export const commonOptions: readonly (readonly [form: string, does: string])[] = [
  ['--server URL', 'address of mqttlab (MQTTLAB_URL; default http://127.0.0.1:8080)'],
  ['--token TEXT', 'API token, if login is on (MQTTLAB_TOKEN)'],
  ['--json', 'results as JSON on standard output, progress as JSON lines on standard error'],
];

/** Returns the help of the program: every command, one form per line, and the exit codes. */
export function makeHelp(usages: readonly Usage[], columns: number): string {
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
export function makeCommandHelp(command: AnyCommand, usages: readonly Usage[], columns: number): string {
  const explain = makeExplainer(columns);
  const shown = usages.filter((usage) => usage.command === command || usage.command.parent === command);
  return [
    ...wrapText(`mqttlab ${pathOf(command)}: ${command.description()}`, columns),
    ...shown.flatMap((usage) => [
      '',
      `  ${usage.line}`,
      // The first line says what a command without subcommands does.
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

/** Returns the options of a command as they are written, with what they do: ["-o, --output FILE", "..."]. */
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
