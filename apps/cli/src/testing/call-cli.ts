import { runCli } from '../program.ts';

interface CliCall {
  env: NodeJS.ProcessEnv;
  columns?: number;
}

/** Runs the program. Returns its standard output, its standard error and its exit code. */
export async function callCli(argv: readonly string[], { env, columns = 80 }: CliCall) {
  const output: string[] = [];
  const notes: string[] = [];
  const code = await runCli(argv, {
    env,
    columns,
    print: (text) => output.push(text),
    note: (text) => notes.push(text),
    signal: new AbortController().signal,
  });
  return { code, said: output.join('\n'), noted: notes.join('\n') };
}
