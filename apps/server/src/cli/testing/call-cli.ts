import type { Command } from '../context.ts';
import { runCli } from '../run-cli.ts';

interface CliCall {
  env: NodeJS.ProcessEnv;
  commands: readonly Command[];
  columns?: number;
}

/** Runs the command line as the program does; what it wrote to standard output and to standard error, and its exit code. */
export async function callCli(argv: readonly string[], { env, commands, columns = 80 }: CliCall) {
  const said: string[] = [];
  const noted: string[] = [];
  const code = await runCli({
    argv,
    env,
    commands,
    columns,
    print: (text) => said.push(text),
    note: (text) => noted.push(text),
    signal: new AbortController().signal,
  });
  return { code, said: said.join('\n'), noted: noted.join('\n') };
}
