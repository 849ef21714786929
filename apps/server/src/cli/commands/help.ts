import { exitCodes } from '@mqttlab/shared/domain/exit-codes';
import type { Command, Usage } from '../context.ts';
import { wrapText } from '../table.ts';

/** Column of the explanations; a longer form has its own line. */
const explainAt = 34;

export interface HelpInput {
  commands: readonly Command[];
  /** Width of the terminal. */
  columns: number;
}

/** Every command, one form per line, and the exit codes. */
export function makeHelp({ commands, columns }: HelpInput): string {
  const explain = makeExplainer(columns);
  return [
    'mqttlab: experiments on secure MQTT, from the command line.',
    '',
    'Usage: npm run mqttlab -- COMMAND',
    '       npm run mqttlab -- COMMAND --help   for its options',
    '',
    ...commands.flatMap(({ name, usages }) =>
      usages.flatMap(({ form, does }) => explain(`  ${name} ${form}`, does)),
    ),
    '',
    ...explain('  --server URL', 'where mqttlab runs (MQTTLAB_URL; else http://127.0.0.1:8080)'),
    ...explain('  --token TEXT', 'API token, where login is on (MQTTLAB_TOKEN)'),
    ...explain('  --json', 'results as JSON on standard output, progress as JSON lines on standard error'),
    '',
    ...explain('  --version', 'the version of this program'),
    '',
    'Exit codes:',
    ...exitCodes.flatMap(({ code, meaning, withStrict }) =>
      explain(`  ${code}`, withStrict === null ? meaning : `${meaning}; with --strict also if ${withStrict}`),
    ),
  ].join('\n');
}

/** One command with its options; only the way that `action` names, where it names one. */
export function makeCommandHelp(command: Command, action: string | undefined, columns: number): string {
  const explain = makeExplainer(columns);
  const named = command.usages.filter(({ form }) => form.split(' ')[0] === action);
  const shown: readonly Usage[] = named.length > 0 ? named : command.usages;
  return [
    ...wrapText(`mqttlab ${command.name}: ${command.summary}`, columns),
    ...shown.flatMap(({ form, does, options = [] }) => [
      '',
      `  ${command.name} ${form}`.trimEnd(),
      ...wrapText(does, columns - 6).map((line) => `      ${line}`),
      ...options.flatMap(([flag, words]) => explain(`      ${flag}`, words)),
    ]),
    '',
    '"npm run mqttlab -- help" lists all commands and common options.',
  ].join('\n');
}

function makeExplainer(columns: number): (form: string, does: string) => string[] {
  return (form, does) => {
    const lines = wrapText(does, columns - explainAt);
    const name = form.trimEnd();
    const [first = '', ...rest] = name.length > explainAt - 2 ? ['', ...lines] : lines;
    return [
      `${name.padEnd(explainAt)}${first}`.trimEnd(),
      ...rest.map((line) => ' '.repeat(explainAt) + line),
    ];
  };
}
