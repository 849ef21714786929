import { describe, expect, it } from 'vitest';
import { parseReference } from './reference.ts';
import { runCode } from './run.ts';

describe('parseReference', () => {
  it.each(['E-12', 'e12', '12', ' E-12 ', 'e-12'])('parses an experiment: %s', (text) => {
    expect(parseReference(text)).toEqual({ experiment: 12, trial: null, attempt: null });
  });

  it.each(['E-2, run 1', 'E-2 run 1', 'E-2/1', 'e2 #1', 'E-2#1', '2 run1', 'E-2,run 1', 'E-2 / 1'])(
    'parses a run: %s',
    (text) => {
      expect(parseReference(text)).toEqual({ experiment: 2, trial: 1, attempt: null });
    },
  );

  it.each(['E-2, run 1, attempt 3', 'E-2 run 1 attempt 3', 'E-2/1/3'])('parses an attempt: %s', (text) => {
    expect(parseReference(text)).toEqual({ experiment: 2, trial: 1, attempt: 3 });
  });

  it('parses the name that the page shows for a run', () => {
    expect(parseReference(runCode({ experimentId: 7, trialNumber: 12, attempt: 1 }))).toEqual({
      experiment: 7,
      trial: 12,
      attempt: null,
    });
    expect(parseReference(runCode({ experimentId: 7, trialNumber: 12, attempt: 2 }))).toEqual({
      experiment: 7,
      trial: 12,
      attempt: 2,
    });
  });

  it.each(['', 'run', 'run 12', '2 7', '-1', 'E-0', 'E-7 run', 'E-7/', 'E-x', 'E-7/1/2/3', '1234567890'])(
    'refuses %j',
    (text) => {
      expect(parseReference(text)).toBeNull();
    },
  );
});
