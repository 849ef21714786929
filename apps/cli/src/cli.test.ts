import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { callCli } from './testing/call-cli.ts';

/** Authorization of each request; null without one. */
let sent: (string | null)[] = [];
beforeEach(() => {
  sent = [];
  vi.stubGlobal('fetch', async (_address: string, { headers }: RequestInit) => {
    sent.push(new Headers(headers).get('authorization'));
    return Response.json({}, { status: 404 });
  });
});
afterEach(() => vi.unstubAllGlobals());

it('uses the token of the server on this machine only', async () => {
  const tokenFor = async (...argv: string[]) => {
    await callCli(['list', ...argv], { env: { MQTTLAB_ADMIN_TOKEN: 'server' } });
    return sent.at(-1);
  };
  expect(await tokenFor()).toBe('Bearer server');
  expect(await tokenFor('--server', 'http://localhost:9000')).toBe('Bearer server');
  expect(await tokenFor('--server', 'http://[::1]:9000')).toBe('Bearer server');
  expect(await tokenFor('--server', 'https://lab.example')).toBeNull();
  expect(await tokenFor('--server', 'https://lab.example', '--token', 'mine')).toBe('Bearer mine');
});

it.each([
  [['list', '--role', 'viewer'], "unknown option '--role'", 'list'],
  [['study', 'run', 'v2x-tls', '--sacle', 'smoke'], 'Did you mean --scale?', 'study run'],
  [['user', 'list', '--hours', '3'], "unknown option '--hours'", 'user list'],
  [['list', 'E-1'], 'too many arguments', 'list'],
  [['storage', 'purge'], 'write "storage", "storage set"', 'storage'],
  [['run', 'plan.yaml', '--junit'], 'argument missing', 'run'],
])(
  '2 with the remedy for %j: an option of another command, or a wrong argument',
  async (argv, words, command) => {
    const { code, noted } = await callCli(argv, { env: {} });
    expect([code, noted]).toEqual([2, expect.stringContaining(words)]);
    expect(noted).toContain(`"npm run mqttlab -- ${command} --help" shows how`);
    expect(sent).toEqual([]);
  },
);
