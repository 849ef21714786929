import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { expect, test } from 'vitest';
import { systemClock } from '../load/pacing/clock.ts';
import { RunLog } from './role.ts';
import { nextStep } from './trial-runner.ts';

test.each([
  ['broker', 'prepared', 'start', 'started'],
  ['broker', 'prepared', 'connect', null],
  ['broker', 'started', 'drain', 'drained'],
  ['publisher', 'prepared', 'connect', 'connected'],
  ['publisher', 'prepared', 'start', null],
  ['publisher', 'connected', 'start', 'started'],
  ['publisher', 'connected', 'connect', null],
  ['subscriber', 'started', 'drain', 'drained'],
  ['subscriber', 'drained', 'drain', null],
  ['subscriber', 'preparing', 'connect', null],
] as const)('a %s that is %s: %s leads to %s', (...[role, step, command, next]) => {
  expect(nextStep(role, step, command)).toBe(next);
});

function makeLog() {
  const shown: LogLine[] = [];
  return { shown, log: new RunLog({ clock: systemClock, onShown: (line) => shown.push(line) }) };
}

test('warnings, errors and milestones are shown immediately, the rest is only stored', () => {
  const { shown, log } = makeLog();
  log.add('info', 'mosquitto', 'a client connected');
  log.add('warn', 'mosquitto', 'careful');
  log.milestone('agent', 'listening');
  expect(shown.map(({ text }) => text)).toEqual(['careful', 'listening']);
  expect(log.lines().map(({ text }) => text)).toEqual(['a client connected', 'careful', 'listening']);
});

test('a log that is too long keeps its beginning and its end, and reports the omitted lines', () => {
  const { shown, log } = makeLog();
  for (let index = 0; index < 10_000; index += 1) log.add('warn', 'mosquitto', `line ${index}`);
  const lines = log.lines();
  expect(lines).toHaveLength(501);
  expect(lines[0]?.text).toBe('line 0');
  expect(lines[250]?.text).toBe('9500 lines omitted');
  expect(lines.at(-1)?.text).toBe('line 9999');
  expect(shown).toHaveLength(200);
});
