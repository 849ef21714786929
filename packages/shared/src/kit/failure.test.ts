import { expect, test } from 'vitest';
import { Failure, reasonOf } from './failure.ts';

const report = { code: 'disk-full', message: 'The disk is full.', remedy: 'Delete something.' };

test('a failure is an error with a code and a remedy', () => {
  const cause = new Error('ENOSPC');
  const failure = new Failure(report, { cause });
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ ...report, cause });
  expect(failure.report).toEqual(report);
});

test('the reason of a thrown value is its message, or the value as text', () => {
  expect(reasonOf(new Failure(report))).toBe('The disk is full.');
  expect(reasonOf(new RangeError('too large'))).toBe('too large');
  expect(reasonOf('text')).toBe('text');
  expect(reasonOf(undefined)).toBe('undefined');
});
