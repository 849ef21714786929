import type { Api } from './api.ts';
import type { CliArguments } from './arguments.ts';

/** What every command gets. */
export interface CommandContext {
  args: CliArguments;
  api: Api;
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and explanations, to standard error. */
  note(text: string): void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export type ExitCode = 0 | 1 | 2;

export interface Command {
  name: string;
  usage: string;
  summary: string;
  run(context: CommandContext): Promise<ExitCode>;
}
