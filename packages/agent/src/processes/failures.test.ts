import { Failure } from '@mqttlab/shared/kit/failure';
import { expect, it } from 'vitest';
import { toFailure } from './failures.ts';

const fallback = { code: 'agent-fault', remedy: 'Report this.' };

it('prefers a cause that a user can correct to the location of the error', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(toFailure(full, fallback)).toMatchObject({ code: 'disk-full' });
  expect(toFailure(new Error('odd'), fallback)).toEqual({ ...fallback, message: 'odd' });
  const own = { code: 'not-ready', message: 'Not ready.', remedy: 'Wait.' };
  expect(toFailure(new Failure(own), fallback)).toEqual(own);
});
