import { parseArgs } from 'node:util';

/**
 * @template {import('node:util').ParseArgsOptionsConfig} Options
 * @typedef {ReturnType<typeof parseArgs<{ options: Options, allowPositionals: true }>>} Parsed
 */

/**
 * Parses the arguments of a script. Prints the usage and exits with 0 on "--help"; names an unknown option or an extra
 * argument, prints the usage and exits with 2, also together with "--help". Call it before anything else.
 *
 * @template {import('node:util').ParseArgsOptionsConfig} [Options=Record<never, never>]
 * @param {{ usage: string, options?: Options, maxPositionals?: number }} script
 * @returns {Parsed<Options>}
 */
export function readArguments({ usage, options, maxPositionals = 0 }) {
  const all = /** @type {const} */ ({ ...options, help: { type: 'boolean', short: 'h', default: false } });
  const parsed = parseOrRefuse(all, usage);
  const extra = parsed.positionals[maxPositionals];
  if (extra !== undefined) return refuse(`Unexpected argument '${extra}'`, usage);
  if (!parsed.values.help) return /** @type {Parsed<Options>} */ (parsed);
  console.log(`Usage: ${usage}`);
  process.exit(0);
}

/**
 * @param {import('node:util').ParseArgsOptionsConfig} options
 * @param {string} usage
 */
function parseOrRefuse(options, usage) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. To specify');
    return refuse(reason, usage);
  }
}

/**
 * @param {string} reason
 * @param {string} usage
 * @returns {never}
 */
function refuse(reason, usage) {
  console.error(`${reason}.\nUsage: ${usage}`);
  process.exit(2);
}

/**
 * Prints the usage if "--help" is among the arguments. For scripts that pass all arguments to a program, which rejects
 * unknown ones.
 *
 * @param {string} usage
 */
export function helpOnly(usage) {
  const { argv } = process;
  if (!argv.includes('--help') && !argv.includes('-h')) return;
  console.log(`Usage: ${usage}`);
  process.exit(0);
}
