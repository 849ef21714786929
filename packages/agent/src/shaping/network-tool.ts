import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { systemCodeOf } from '@mqttlab/shared/domain/runs/system-failure';

/** Resolves with what it printed; rejects with an Error in the tool's own words. */
export type NetworkTool = (
  program: 'ip' | 'nft' | 'ss' | 'tc' | 'unshare',
  args: readonly string[],
) => Promise<string>;

const packages = {
  ip: 'iproute2',
  nft: 'nftables',
  ss: 'iproute2',
  tc: 'iproute2',
  unshare: 'util-linux',
} as const;
const timeoutMs = 5_000;

/** Users without rights do not have /usr/sbin in their PATH; the tools work all the same with CAP_NET_ADMIN. */
export const runNetworkTool: NetworkTool = async (program, args) => {
  const env = { ...process.env, LC_ALL: 'C', PATH: `/usr/sbin:/sbin:${process.env.PATH ?? '/usr/bin:/bin'}` };
  try {
    const { stdout } = await promisify(execFile)(program, [...args], { timeout: timeoutMs, env });
    return stdout;
  } catch (error) {
    throw new Error(wordsOf(program, error), { cause: error });
  }
};

function wordsOf(program: keyof typeof packages, error: unknown): string {
  if (systemCodeOf(error) === 'ENOENT')
    return `${program} is not installed (Debian package ${packages[program]})`;
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(Error|RTNETLINK answers): /, '').trim())
    .filter((line) => line !== '' && !/^\^|^We have an error/.test(line));
  const words = lines.slice(0, 2).join('; ') || (error instanceof Error ? error.message : String(error));
  if (/not permitted|permission denied/i.test(words)) return 'the agent lacks CAP_NET_ADMIN';
  return `${program}: ${words}`;
}
