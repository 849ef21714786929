import { type AnyCommand, type Cli, usageError } from '../cli.ts';

const shells = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;

const isShell = (text: string): text is keyof typeof shells => Object.hasOwn(shells, text);

export function addCompletion(cli: Cli): void {
  cli
    .command('completion', {
      does: 'Print a script that completes commands and options of "mqttlab" in bash, zsh or fish.',
      examples: ['completion bash > ~/.local/share/bash-completion/completions/mqttlab'],
    })
    .argument('<bash|zsh|fish>', 'name the shell: bash, zsh or fish')
    .action(
      cli.runs(async ({ print }, shell) => {
        if (!isShell(shell)) throw usageError(`there is no script for "${shell}"; choose bash, zsh or fish`);
        print(shells[shell](listStates(cli.program)));
        return 0;
      }),
    );
}

/** The words that can follow a command. */
interface State {
  /** Words of the command, for example "study run"; "" for the program. */
  path: string;
  words: readonly string[];
}

/** Lists the program, its commands and their subcommands. */
function listStates(command: AnyCommand, path = ''): State[] {
  const options = command.options.map(({ long, short }) => long ?? short ?? '');
  const names = command.commands.map((each) => each.name());
  const common = path === '' ? ['--help'] : ['--server', '--token', '--json', '--help'];
  return [
    { path, words: [...names, ...options, ...common] },
    ...command.commands.flatMap((each) => listStates(each, `${path} ${each.name()}`.trim())),
  ];
}

/**
 * Walks through the words before the cursor as long as they name a command, then offers the words that can
 * follow it.
 */
function writeBash(states: readonly State[]): string {
  const commands = states.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]));
  return `_mqttlab() {
  local word path="" words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${commands.join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${states.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mqttlab mqttlab`;
}

/** Returns a script with which zsh runs the bash function through its compatibility module. */
function writeZsh(states: readonly State[]): string {
  return `#compdef mqttlab
autoload -U +X bashcompinit && bashcompinit
${writeBash(states)}`;
}

function writeFish(states: readonly State[]): string {
  const commands = states.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  return `function __mqttlab_path
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l next (string join ' ' $path $word)
    contains -- "$next" ${commands.join(' ')}; and set path $next
  end
  string join ' ' $path
end
${states
  .map(
    ({ path, words }) =>
      `complete -c mqttlab -n 'test "$(__mqttlab_path)" = "${path}"' -a '${words.join(' ')}'`,
  )
  .join('\n')}`;
}
