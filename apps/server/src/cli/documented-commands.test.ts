import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../base/project.ts';
import { parseCliArguments } from './arguments.ts';
import { commands } from './commands.ts';
import type { Command, Usage } from './context.ts';
import { callCli } from './testing/call-cli.ts';

const root = findProject().root;
/** Options of every command; "mqttlab help" lists them. */
const common = ['--server', '--token', '--json', '--help'];

/** "add" of the form "add NAME"; null for commands without actions. */
const actionOf = ({ form }: Usage) => /^[a-z]+(?= |$)/.exec(form)?.[0] ?? null;
const flagOf = (option: string) => option.split(' ')[0] ?? '';
const usagesOf = (command: Command, action: string | undefined) => {
  const named = command.usages.filter((usage) => actionOf(usage) === action);
  return named.length > 0 ? named : command.usages.filter((usage) => actionOf(usage) === null);
};

const options = commands.flatMap((command) =>
  command.usages.flatMap((usage) =>
    (usage.options ?? []).map(([option]) => ({ command: command.name, action: actionOf(usage), option })),
  ),
);

describe('options that the help lists', () => {
  it.each(options)('$command $action accepts $option', async ({ command, action, option }) => {
    const [flag = '', placeholder] = option.split(' ');
    const words = [command, ...(action === null ? [] : [action])];
    const value = placeholder === undefined ? [] : ['value'];
    // A switch would leave the value among the arguments.
    const parsed = parseCliArguments([...words, flag, ...value, 'rest'], {});
    expect([parsed.command, ...parsed.positionals]).toEqual([...words, 'rest']);
    const { code, said } = await callCli([...words, flag, ...value, '--help'], { env: {}, commands });
    expect([code, said]).toEqual([0, expect.stringContaining(option)]);
  });
});

/** Splits a line as a shell does, up to a comment, a pipe or a redirection. */
function splitWords(line: string): string[] {
  const end = /\s#|[|<>)]|&&/.exec(line.replaceAll(/"[^"]*"/g, (quoted) => 'x'.repeat(quoted.length)));
  const words = line.slice(0, end?.index).matchAll(/"([^"]*)"|(\S+)/g);
  return [...words].map(([, quoted, plain = '']) => quoted ?? plain);
}

const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.yaml', 'docker/**/*.{md,yaml}'], {
  cwd: root,
});
const found = documents.flatMap((file) =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /npm run (?:-s |--silent )?mqttlab -- ((?:"[^"\n]*"|[^`"\n])+)/g,
    ),
  ]
    // A form such as "list [NAME]" is from a help text, which has its own test.
    .filter(([, line = '']) => !/[[\]]|\.\.\./.test(line) && !line.startsWith('COMMAND'))
    .map(([, line = '']) => ({ file, line })),
);

describe('commands in the documentation', () => {
  it.each(found)('$file: mqttlab $line', ({ line }) => {
    const words = splitWords(line);
    const { command: name, positionals } = parseCliArguments(words, {});
    if (name === 'help') return;
    const command = commands.find((known) => known.name === name);
    expect(command, `there is no command ${name}`).toBeDefined();
    if (!command) return;
    const usages = usagesOf(command, positionals[0]);
    expect(usages.length, `${name} has no form "${positionals[0]}"`).toBeGreaterThan(0);
    const known = usages.flatMap((usage) => (usage.options ?? []).map(([option]) => flagOf(option)));
    const written = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '');
    expect([...common, ...known]).toEqual(expect.arrayContaining(written));
  });
});
