import { expect, it } from 'vitest';
import { readTable } from './read-table.ts';

const mapping = {
  metrics: { 'latency.p50': 'p50 [ms]', 'rate.messages': 'rate' },
  treatment: 'broker',
  startedAt: 'when',
};

it.each([
  [
    'commas',
    'broker,when,p50 [ms],rate\nEMQX,2026-11-22T14:05:00Z,1.5,100\n"Mosquitto, 2.0",1763820300000,2,\n',
  ],
  [
    'semicolons and decimal commas',
    '\uFEFFbroker;when;p50 [ms];rate\r\nEMQX;2026-11-22T14:05:00Z;1,5;100\r\n"Mosquitto, 2.0";1763820300000;2;\r\n',
  ],
])('reads one run per row, separated by %s', (_, text) => {
  expect(readTable(text, mapping)).toEqual({
    ok: true,
    runs: [
      {
        treatment: 'EMQX',
        startedAt: Date.parse('2026-11-22T14:05:00Z'),
        metrics: { 'latency.p50': 1.5, 'rate.messages': 100 },
      },
      { treatment: 'Mosquitto, 2.0', startedAt: 1_763_820_300_000, metrics: { 'latency.p50': 2 } },
    ],
  });
});

it('reads a single column as one treatment', () => {
  const alone = { metrics: { 'latency.p50': 'ms' }, treatment: null, startedAt: null };
  const read = readTable('ms\n1\n2\n', alone);
  expect(read).toMatchObject({ ok: true, runs: [{ metrics: { 'latency.p50': 1 } }, {}] });
  expect(new Set(read.ok ? read.runs.map(({ treatment }) => treatment) : []).size).toBe(1);
});

it.each([
  ['a missing column', 'broker,when,p50,rate\nEMQX,,1,1\n', ['--map latency.p50'], '"p50 [ms]"'],
  [
    'a text in place of a number',
    'broker,when,p50 [ms],rate\nEMQX,,fast,1\n',
    ['line 2, column "p50 [ms]"'],
    '"fast" is not a number',
  ],
  [
    'a run without a treatment',
    'broker,when,p50 [ms],rate\n,,1,1\n',
    ['line 2, column "broker"'],
    'is empty',
  ],
  [
    'an invalid time',
    'broker,when,p50 [ms],rate\nEMQX,today,1,1\n',
    ['line 2, column "when"'],
    'is not a time',
  ],
  ['no rows', 'broker,when,p50 [ms],rate\n', ['file'], 'has no rows'],
])('names the place of %s', (_, text, fields, reason) => {
  const read = readTable(text, mapping);
  const issues = read.ok ? [] : read.issues;
  expect(issues.map(({ field }) => field)).toEqual(fields);
  expect(issues[0]?.reason).toContain(reason);
  expect(issues.every(({ remedy }) => remedy !== '')).toBe(true);
});
