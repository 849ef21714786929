import { Command } from '@commander-js/extra-typings';
import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import { Failure } from '@mqttlab/shared/kit/failure';
import { type Api, makeApi } from './api.ts';

/** Input and output of the program. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  /** Width of the terminal. */
  columns: number;
  /** Writes results to standard output. */
  print(text: string): void;
  /** Writes progress and explanations to standard error. */
  note(text: string): void;
  /** Rewrites one line on standard error; undefined if standard error is not a terminal. */
  status?: ((text: string) => void) | undefined;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Context that a command's action receives in addition to its arguments and options. */
export interface CommandContext extends Terminal {
  api: Api;
  /** Address of the server, without a path. */
  server: string;
  token: string | null;
  /** True to print results as JSON, and progress as JSON lines. */
  json: boolean;
}

/** Options that every command accepts. */
export type CommonOptions = {
  server?: string | undefined;
  token?: string | undefined;
  json?: true | undefined;
};

/** A command whose arguments and options are not declared yet. */
type NewCommand = Command<[], Record<never, never>, CommonOptions>;

/** Any command, whatever its arguments and options. */
export type AnyCommand = Pick<
  Command<unknown[]>,
  'name' | 'description' | 'registeredArguments' | 'options' | 'args'
> & { readonly commands: readonly AnyCommand[]; readonly parent: AnyCommand | null };

interface About {
  /** One or two sentences about the command. */
  does: string;
  /** Examples, each written after "mqttlab": "study run v2x-tls --scale bench". */
  examples: readonly string[];
  /** Arguments shown in the usage line instead of the declared ones: "[-o PLAN.yaml]". */
  form?: string;
}

/** One form of a command, for help texts, the reference and shell completion. */
export interface Usage extends About {
  command: AnyCommand;
  /** Includes the name of the group: "study run ID". */
  line: string;
}

const usageCode = 'usage';

/**
 * Returns the error for a wrong command line, which causes exit code 2 and a reference to the command's help.
 */
export function usageError(message: string): Failure {
  return new Failure({ code: usageCode, message, remedy: '' });
}

export function isUsageError(error: unknown): error is Failure {
  return error instanceof Failure && error.code === usageCode;
}

/** A command with subcommands, such as "study". */
export interface Group {
  command(name: string, about: About): NewCommand;
  /** Defines the action of the group if no subcommand is given. */
  itself(about: About): NewCommand;
}

/** The program: commander's commands with their help texts, and the context and exit code of one call. */
export class Cli {
  exitCode: ExitCode = 0;
  readonly terminal: Terminal;
  readonly program = new Command()
    .name('mqttlab')
    .option('--server <URL>')
    .option('--token <TEXT>')
    .option('--json');
  readonly #usages: Usage[] = [];

  constructor(terminal: Terminal) {
    this.terminal = terminal;
    this.program.exitOverride().helpCommand(false);
  }

  /** Returns every usage, in the order in which the help lists them. */
  get usages(): readonly Usage[] {
    return this.#usages;
  }

  /**
   * Adds a command. If a required argument is missing, its description is the error message.
   *
   *     cli.command('watch', { does: 'Follow an experiment.', examples: ['watch E-12'] })
   *       .argument('<EXPERIMENT>', 'name an experiment')
   *       .option('--strict', 'fail if a run is flagged')
   *       .action(cli.runs(async ({ api, print }, experiment, { strict }) => 0));
   */
  command(name: string, about: About): NewCommand {
    return this.#add(this.program.command(name), about);
  }

  /** Adds a command with subcommands. `refusal` is the error message for a missing or unknown subcommand. */
  group(name: string, { does, refusal }: { does: string; refusal?: string }): Group {
    const parent = this.program.command(name).description(does).helpCommand(false).allowExcessArguments();
    const refuse = () => {
      const names = parent.commands.map((command) => `"${name} ${command.name()}"`);
      throw usageError(refusal ?? `write ${names.join(', ')}`);
    };
    parent.action(refuse);
    return {
      command: (action, about) => this.#add(parent.command(action), about),
      itself: (about) => {
        parent.hook('preAction', (_program, called) => {
          if (called === parent && parent.args.length > 0) refuse();
        });
        this.#note(parent, about);
        return parent;
      },
    };
  }

  /** Wraps a command's work in an action for commander. */
  runs<Rest extends unknown[]>(
    work: (context: CommandContext, ...rest: Rest) => Promise<ExitCode>,
  ): (...rest: Rest) => Promise<void> {
    return async (...rest) => {
      this.exitCode = await work(this.#context(), ...rest);
    };
  }

  #add(command: NewCommand, about: About): NewCommand {
    // These settings would otherwise be inherited from the program and from groups, which report the
    // arguments themselves.
    command.allowExcessArguments(false);
    this.#note(command.description(about.does), about);
    return command;
  }

  #note(command: NewCommand, about: About): void {
    this.#usages.push({
      ...about,
      command,
      get line() {
        return `${pathOf(command)} ${about.form ?? formOf(command)}`.trim();
      },
    });
  }

  #context(): CommandContext {
    const { env } = this.terminal;
    const { server: named, token, json = false } = this.program.opts();
    const server = parseServer(named ?? env.MQTTLAB_URL ?? `http://127.0.0.1:${env.PORT ?? '8080'}`);
    // Commands on this machine also use the token that starts a server here. It is never sent elsewhere.
    const ownToken = isThisMachine(server) ? env.MQTTLAB_ADMIN_TOKEN : undefined;
    const chosen = token ?? env.MQTTLAB_TOKEN ?? ownToken ?? null;
    return { ...this.terminal, api: makeApi(server, chosen), server, token: chosen, json };
  }
}

function isThisMachine(server: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(server).hostname);
}

function parseServer(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--server: "${text}" is not an address; use the form http://127.0.0.1:8080`);
  }
  return url.origin;
}

/** Returns the path of a command: "study run" for the command "run" in the group "study". */
export function pathOf(command: AnyCommand): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** Returns the arguments of a command, for example "EXPERIMENT TITLE" or "[NAME]". */
function formOf({ registeredArguments }: AnyCommand): string {
  return registeredArguments
    .map((argument) => {
      const name = argument.variadic ? `${argument.name()} ...` : argument.name();
      return argument.required ? name : `[${name}]`;
    })
    .join(' ');
}
