import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';

const scriptFor = async (shell: string) => (await callCli(['completion', shell], { env: {} })).said;

it.each([
  ['mqttlab st', ['start', 'storage', 'study']],
  ['mqttlab study r', ['run']],
  ['mqttlab study run v2x-tls --s', ['--scale', '--strict', '--server']],
  ['mqttlab export E-2 --k', ['--key-logs']],
  ['mqttlab --js', ['--json']],
  ['mqttlab user role Ada ', ['--server', '--token', '--json', '--help']],
])('bash completes "%s"', async (line, expected) => {
  const words = line.split(' ');
  const call = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _mqttlab`;
  const script = `${await scriptFor('bash')}\n${call}; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n').sort()).toEqual([...expected].sort());
});

it('zsh uses the functions for bash, and fish lists the same words', async () => {
  expect(await scriptFor('zsh')).toContain(await scriptFor('bash'));
  expect(await scriptFor('fish')).toContain(
    `= "study run"' -a '--scale --part --strict --server --token --json --help'`,
  );
});

it('names the shells for an unknown one', async () => {
  const { code, noted } = await callCli(['completion', 'tcsh'], { env: {} });
  expect([code, noted]).toEqual([2, expect.stringContaining('choose bash, zsh or fish')]);
});
