import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { Cli, pathOf } from './cli.ts';
import { addCommands, listOptions, listUsages } from './program.ts';
import { callCli } from './testing/call-cli.ts';
import { project } from './testing/server.ts';

const usages = listUsages();

/** Parses arguments, but does not run the command. */
class DryCli extends Cli {
  override runs() {
    return async () => undefined;
  }
}

describe('the help of each command', () => {
  it.each(usages)('$line lists options and examples', async ({ command, line, examples }) => {
    const path = line.split(' ').filter((word) => /^[a-z-]+$/.test(word));
    const { code, said } = await callCli([...path, '--help'], { env: {}, columns: 1000 });
    expect(code).toBe(0);
    expect(said).toContain(line);
    for (const [form, does] of listOptions(command)) {
      expect(said).toContain(form);
      expect(said).toContain(does);
    }
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(said).toContain(`Example: ${example}`);
  });
});

/** Splits a line as a shell does, up to a comment, a pipe or a redirection. */
function splitWords(line: string): string[] {
  const end = /\s#|[|<>)]|&&/.exec(line.replaceAll(/"[^"]*"/g, (quoted) => 'x'.repeat(quoted.length)));
  const words = line.slice(0, end?.index).matchAll(/"([^"]*)"|(\S+)/g);
  return [...words].map(([, quoted, plain = '']) => quoted ?? plain);
}

const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.yaml', 'docker/**/*.{md,yaml}'], {
  cwd: project.root,
});
const inClone = /npm run (?:-s |--silent )?mqttlab -- ((?:"[^"\n]*"|[^`"\n])+)/g;
/** With the package; in blocks only, because sentences also begin with the name. */
const installed = /(?<=^ *|bin\/|run: |\$\()mqttlab (?=[a-z])((?:"[^"\n]*"|[^`"\n])+)/gm;
const documented = documents.flatMap((file) => {
  const text = readFileSync(join(project.root, file), 'utf8');
  const blocks = [...text.matchAll(/^ *```\w+\n(.*?)^ *```/gms)].map(([, block = '']) => block);
  const found = [...text.matchAll(inClone), ...blocks.flatMap((block) => [...block.matchAll(installed)])];
  return (
    found
      // A form such as "list [NAME]" is from a help text, which has its own test.
      .filter(([, line = '']) => !/[[\]]|\.\.\./.test(line) && !line.startsWith('COMMAND'))
      .map(([, line = '']) => ({ file, line }))
  );
});
const examples = usages.flatMap((usage) => usage.examples.map((line) => ({ file: 'help', line })));

describe('commands in the documentation and in examples', () => {
  it.each([...documented, ...examples])('$file: mqttlab $line', async ({ line }) => {
    const noop = () => undefined;
    const { signal } = new AbortController();
    const cli = addCommands(new DryCli({ env: {}, columns: 80, print: noop, note: noop, signal }));
    const words = splitWords(line);
    // Prose may name a command without its arguments.
    if (usages.some(({ command }) => pathOf(command) === words.join(' '))) return;
    // Rejects for an unknown command, a missing or extra argument, and an unknown option.
    await cli.program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
      // `--version` prints and ends.
      if (!(error instanceof CommanderError && error.code === 'commander.version')) throw error;
    });
  });
});
