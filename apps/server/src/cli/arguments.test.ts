import { expect, it } from 'vitest';
import { parseCliArguments } from './arguments.ts';

it('the token of the own server is used on this machine and sent nowhere else', () => {
  const env = { MQTTLAB_ADMIN_TOKEN: 'of the server' };
  const tokenFor = (...argv: string[]) => parseCliArguments(['list', ...argv], env).token;
  expect(tokenFor()).toBe('of the server');
  expect(tokenFor('--server', 'http://localhost:9000')).toBe('of the server');
  expect(tokenFor('--server', 'https://lab.example')).toBeNull();
  expect(tokenFor('--server', 'https://lab.example', '--token', 'mine')).toBe('mine');
});
