import { describeIssue } from '@mqttlab/shared/domain/issue';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import * as z from 'zod';
import { findProject } from '../base/project.ts';
import { makeApi } from './api.ts';
import { parseCliArguments, UsageError } from './arguments.ts';
import { makeCommandHelp, makeHelp } from './commands/help.ts';
import type { Command, CommandContext, ExitCode } from './context.ts';
import { trustAuthority } from './trust-authority.ts';

export interface CliInput extends Omit<CommandContext, 'args' | 'api'> {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  commands: readonly Command[];
}

/** Runs one command; every way to fail ends in one clear message and an exit code. */
export async function runCli(input: CliInput): Promise<ExitCode> {
  const { argv, env, commands, ...terminal } = input;
  const { columns, print, note } = terminal;
  let known: Command | null = null;
  try {
    trustAuthority(env);
    const args = parseCliArguments(argv, env);
    if (args.version) {
      print(`mqttlab ${findProject().version}`);
      return 0;
    }
    const { command: first, positionals } = args;
    const [name = null, action] = first === 'help' ? positionals : [first, ...positionals];
    if (name === null) {
      print(makeHelp({ commands, columns }));
      return 0;
    }
    const command = commands.find((entry) => entry.name === name);
    if (!command) throw new UsageError(`there is no command "${name}"`);
    known = command;
    if (first === 'help' || args.help) {
      print(makeCommandHelp(command, action, columns));
      return 0;
    }
    return await command.run({ args, api: makeApi(args.server, args.token), ...terminal });
  } catch (error) {
    return explain(error, known, note);
  }
}

function explain(error: unknown, command: Command | null, note: (text: string) => void): ExitCode {
  if (error instanceof UsageError) {
    note(`mqttlab: ${error.message}`);
    note(
      command
        ? `"npm run mqttlab -- ${command.name} --help" shows how to use it.`
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
      `mqttlab: the server answered in an unknown form (${z.prettifyError(error)}); is it of this version?`,
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
