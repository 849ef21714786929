import { parseArgs } from 'node:util';

/**
 * What a script was called with. "--help" prints its usage and ends it well; whatever it does not know is named, with
 * the usage, and ends it with 2. Comes before anything else that a script does.
 */
export function readArguments({ usage, options = {}, maxPositionals = 0 }) {
  let parsed;
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h', default: false } };
    parsed = parseArgs({ options: all, allowPositionals: true });
  } catch (error) {
    return refuse(error.message.split('. To specify')[0], usage);
  }
  if (parsed.values.help) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  const extra = parsed.positionals[maxPositionals];
  return extra === undefined ? parsed : refuse(`Unexpected argument '${extra}'`, usage);
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
