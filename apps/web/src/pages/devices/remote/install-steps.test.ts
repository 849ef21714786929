import type { Installation } from '@mqttlab/shared/messages/devices';
import { describe, expect, it } from 'vitest';
import { nextStepOf } from './install-steps.tsx';

function installation(change: Partial<Installation>): Installation {
  return {
    deviceId: 'pi',
    kind: 'install',
    status: 'failed',
    startedAt: 1,
    finishedAt: 2,
    steps: [],
    failure: null,
    ...change,
  };
}

const failure = (code: string, field: string | null = null) => ({ code, message: '', remedy: '', field });
const cameIn: Installation['steps'] = [
  { id: 'login', label: 'Log in', status: 'done', detail: '', durationMs: 1 },
];

describe('the next step after work on a device', () => {
  it.each([
    ['nothing while it goes on', { status: 'running' as const }, null],
    ['nothing after its end', { status: 'done' as const }, null],
    [
      'the password that sudo asks for',
      { failure: failure('sudo-password', 'sudoPassword') },
      'sudo password',
    ],
    ['the right one', { failure: failure('sudo-password-wrong', 'sudoPassword') }, 'sudo password'],
    ['a look at both keys', { failure: failure('host-key-changed') }, 'compare keys'],
    ['a login', { failure: failure('password-refused', 'login.password') }, 'log in'],
    ['a login', { failure: failure('key-refused', 'login') }, 'log in'],
    ['a login where the server ended before it', { status: 'interrupted' as const }, 'log in'],
    ['the same again', { status: 'interrupted' as const, steps: cameIn }, 'again'],
    ['the same again', { failure: failure('disk-full'), steps: cameIn }, 'again'],
  ])('is %s', (_, change, expected) => {
    expect(nextStepOf(installation(change))).toBe(expected);
  });
});
