import { parseArgs } from 'node:util';

/**
 * Parses the arguments of a script. Prints the usage and exits with 0 on "--help"; names an unknown option or an extra
 * argument, prints the usage and exits with 2, also together with "--help". Call it before anything else.
 */
export function readArguments({ usage, options = {}, maxPositionals = 0 }) {
  let parsed;
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h', default: false } };
    parsed = parseArgs({ options: all, allowPositionals: true });
  } catch (error) {
    return refuse(error.message.split('. To specify')[0], usage);
  }
  const extra = parsed.positionals[maxPositionals];
  if (extra !== undefined) return refuse(`Unexpected argument '${extra}'`, usage);
  if (!parsed.values.help) return parsed;
  console.log(`Usage: ${usage}`);
  process.exit(0);
}

function refuse(reason, usage) {
  console.error(`${reason}.\nUsage: ${usage}`);
  process.exit(2);
}

/** For scripts that hand everything on to a program which refuses what it does not know: only the help is ours. */
export function helpOnly(usage) {
  const { argv } = process;
  if (!argv.includes('--help') && !argv.includes('-h')) return;
  console.log(`Usage: ${usage}`);
  process.exit(0);
}
