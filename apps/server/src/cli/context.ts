import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { Api } from './api.ts';
import { type CliArguments, UsageError } from './arguments.ts';

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

export type { ExitCode } from '@mqttlab/shared/domain/exit-codes';

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

/** What the first word after a command may be. */
export type Actions = Readonly<Record<string, (context: CommandContext) => Promise<ExitCode>>>;

/** Runs the action that is named; throws UsageError that lists them where none is. */
export function runAction(command: string, actions: Actions): Command['run'] {
  return (context) => {
    const action = actions[context.args.positionals[0] ?? ''];
    if (!action) {
      throw new UsageError(`write "${command} ${Object.keys(actions).join(`", "${command} `)}"`);
    }
    return action(context);
  };
}
