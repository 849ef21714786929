import { expect, it } from 'vitest';
import { systemFailureOf } from './system-failure.ts';

it('names a full disk and keeps the words of the system', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(systemFailureOf(error)).toEqual({
    code: 'disk-full',
    message: 'The disk is full. (ENOSPC: no space left on device, write)',
    remedy: 'Free some disk space, then retry the run.',
  });
});

it('returns null for other errors', () => {
  expect(systemFailureOf(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBeNull();
  expect(systemFailureOf(new Error('ENOSPC'))).toBeNull();
  expect(systemFailureOf('ENOSPC')).toBeNull();
});
