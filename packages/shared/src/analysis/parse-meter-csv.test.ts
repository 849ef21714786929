import { describe, expect, test } from 'vitest';
import { fc } from '../testing/properties.ts';
import { alignMeter } from './apply-meter.ts';
import { type MeterCsv, parseMeterCsv } from './parse-meter-csv.ts';

const parse = (text: string): MeterCsv => {
  const csv = parseMeterCsv(text);
  if ('issues' in csv) throw new Error(JSON.stringify(csv.issues));
  return csv;
};
const issuesOf = (text: string) => {
  const csv = parseMeterCsv(text);
  return 'issues' in csv ? csv.issues : [];
};

describe('what meters export', () => {
  test.each([
    {
      name: 'Unix ms and W',
      text: 'timestamp,power\n1760000000000,3.5\n1760000000100,3.6\n',
      clock: 'unix',
      firstMs: 1_760_000_000_000,
    },
    {
      name: 'Unix seconds',
      text: 'time,P [W]\n1760000000.5,3.5\n1760000001.5,3.6\n',
      clock: 'unix',
      firstMs: 1_760_000_000_500,
    },
    {
      name: 'ISO dates',
      text: 'Time;Power\n2025-10-09T08:53:20Z;3,5\n2025-10-09T08:53:21Z;3,6\n',
      clock: 'unix',
      firstMs: 1_760_000_000_000,
    },
    {
      name: 'seconds from the start',
      text: '"Time (s)","Power (mW)"\n0,3500\n0.1,3600\n',
      clock: 'relative',
      firstMs: 0,
    },
    {
      name: 'ms from the start',
      text: 'elapsed ms\tU [V]\tI [mA]\n100\t5\t700\n200\t5\t720\n',
      clock: 'relative',
      firstMs: 100,
    },
    {
      name: 'volt and ampere',
      text: 't,voltage,current\r\n0,5,0.7\r\n1,5,0.72\r\n',
      clock: 'relative',
      firstMs: 0,
    },
  ])('$name', ({ text, clock, firstMs }) => {
    const csv = parse(text);
    expect(csv.clock).toBe(clock);
    expect(csv.rows.map(({ powerW }) => powerW)).toEqual([expect.closeTo(3.5, 9), expect.closeTo(3.6, 9)]);
    expect(csv.rows[0]?.atMs).toBeCloseTo(firstMs, 6);
  });

  test.each([
    ['time_ms,power_W', '100,3.5\n200,3.6', 100],
    ['timeMs,powerW', '100,3.5\n200,3.6', 100],
    ['timestamp_us,power_mW', '100000,3500\n200000,3600', 100],
    ['t (µs);P (mW)', '100000;3500\n200000;3600', 100],
    ['time_ns,voltage_mV,current_uA', '100000000,5000,700000\n200000000,5000,720000', 100],
    ['time_s,power_kW', '0.1,0.0035\n0.2,0.0036', 100],
    ['Timestamp(ms),Voltage(V),Current(µA)', '100,5,700000\n200,5,720000', 100],
  ])('with the units in the head: %s', (head, rows, firstMs) => {
    const csv = parse(`${head}\n${rows}\n`);
    expect(csv.clock).toBe('relative');
    expect(csv.rows).toEqual([
      { atMs: expect.closeTo(firstMs, 6), powerW: expect.closeTo(3.5, 9) },
      { atMs: expect.closeTo(2 * firstMs, 6), powerW: expect.closeTo(3.6, 9) },
    ]);
  });

  test('times in seconds become ms', () => {
    expect(parse('time s,w\n0.5,1\n2,1\n').rows.map(({ atMs }) => atMs)).toEqual([500, 2_000]);
  });
});

describe('nonsense refuses the whole file, with the line', () => {
  test.each([
    ['nothing', '', [1, 'no time column']],
    ['no power', 'time,temperature\n0,20\n1,21\n', [1, 'neither a power column']],
    ['voltage alone', 'time,voltage\n0,5\n1,5\n', [1, 'neither a power column']],
    ['text for power', 'time,power\n0,3\n1,OL\n', [3, 'power is missing or negative']],
    ['a negative power', 'time,power\n0,3\n1,-3\n', [3, 'power is missing or negative']],
    ['a missing cell', 'time,power\n0,3\n1\n', [3, 'power is missing or negative']],
    ['time that goes back', 'time,power\n5,3\n4,3\n', [3, 'not later']],
    ['the same time twice', 'time,power\n5,3\n5,3\n', [3, 'not later']],
    ['a time that is none', 'time,power\nnoon,3\n1,3\n', [2, '"noon" is not a time']],
    ['a date among numbers', 'time,power\n0,3\n2025-10-09T08:53:20Z,3\n', [3, 'dates and numbers are mixed']],
    ['one row', 'time,power\n0,3\n', [3, 'fewer than two']],
    ['ns', 'time,power\n1760000000000000000,3\n1760000001000000000,3\n', [2, 'is too large for a time']],
    ['no bounds', 'time,power\n-1e305,3\n1,3\n', [2, 'is too large for a time']],
    ['endless power', 'time,power\n0,1e999\n1,3\n', [2, 'power is missing or negative']],
  ])('%s', (_case, text, [line, reason]) => {
    expect(issuesOf(text)).toContainEqual({ line, reason: expect.stringContaining(String(reason)) });
  });

  test('no text makes it throw, and whatever it accepts is finite, not negative and in order', () => {
    const cell = fc.oneof(fc.string({ maxLength: 6 }), fc.integer().map(String), fc.double().map(String));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 8 }), (rows) => {
        const csv = parseMeterCsv(['time,power', ...rows.map((row) => row.join(','))].join('\n'));
        if ('issues' in csv) return;
        csv.rows.forEach(({ atMs, powerW }, i) => {
          expect(Number.isFinite(atMs) && Number.isFinite(powerW) && powerW >= 0).toBe(true);
          if (i > 0) expect(atMs).toBeGreaterThan(csv.rows[i - 1]!.atMs);
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('alignment', () => {
  const anchor = { unixMs: 1_760_000_000_000, clockUs: 50_000_000 };

  test('Unix times meet the clock of the device, less what the meter is ahead', () => {
    const csv = parse('timestamp,power\n1760000001000,3\n1760000002000,4\n');
    const samples = alignMeter(csv, { startedAtUnixMs: null, aheadMs: 250, anchor });
    expect(samples).toMatchObject([
      { atUs: 50_750_000, powerW: 3, energyJ: null },
      { atUs: 51_750_000, powerW: 4 },
    ]);
  });

  test('relative times need to know when the meter was started', () => {
    const csv = parse('time s,power\n0,3\n1,4\n');
    expect(alignMeter(csv, { startedAtUnixMs: null, aheadMs: 0, anchor })).toMatchObject({
      reason: expect.stringContaining('specify when the meter was started'),
    });
    const samples = alignMeter(csv, { startedAtUnixMs: anchor.unixMs + 2_000, aheadMs: 0, anchor });
    expect(samples).toMatchObject([{ atUs: 52_000_000 }, { atUs: 53_000_000 }]);
  });

  test('an impossible power refuses the file', () => {
    const csv = parse('time s,power\n0,3\n1,1e9\n');
    const samples = alignMeter(csv, { startedAtUnixMs: anchor.unixMs, aheadMs: 0, anchor });
    expect(samples).toMatchObject({ reason: 'the meter reports 1000000000 W, which is implausible' });
  });
});
