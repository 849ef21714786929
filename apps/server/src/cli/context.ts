import type { Api } from './api.ts';
import type { CliArguments } from './arguments.ts';

/** What every command gets. */
export interface CommandContext {
  args: CliArguments;
  api: Api;
  /** Width of the terminal. */
  columns: number;
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and explanations, to standard error. */
  note(text: string): void;
  /** Writes one line over and over, where standard error is a terminal; absent elsewhere. */
  status?: ((text: string) => void) | undefined;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** 1: an experiment or a call failed. 2: wrong usage. 99: a threshold is broken. */
export type ExitCode = 0 | 1 | 2 | 99;

/** One way to write a command. */
export interface Usage {
  /** What follows the name of the command: "add USER@HOST[:PORT] [NAME]". */
  form: string;
  does: string;
  /** How it is written, and what it is for. */
  options?: readonly (readonly [flag: string, words: string])[];
}

export interface Command {
  name: string;
  summary: string;
  usages: readonly Usage[];
  run(context: CommandContext): Promise<ExitCode>;
}
