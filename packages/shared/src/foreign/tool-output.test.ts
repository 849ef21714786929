import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import { readerOf, toolNames } from './tool-output.ts';

const sample = (name: string): string => readFileSync(join(import.meta.dirname, 'samples', name), 'utf8');
const read = (tool: string, text: string) => readerOf(tool)?.(text);

describe('mqtt-benchmark', () => {
  it('weights the mean of JSON by the messages of each client', () => {
    const output = JSON.parse(sample('mqtt-benchmark.json')) as {
      runs: { successes: number; msg_time_mean: number }[];
      totals: { msg_time_max: number; total_msgs_per_sec: number };
    };
    const { runs, totals } = output;
    const messages = runs.reduce((sum, { successes }) => sum + successes, 0);
    const total = runs.reduce((sum, run) => sum + run.successes * run.msg_time_mean, 0);
    expect(read('mqtt-benchmark', sample('mqtt-benchmark.json'))).toEqual({
      ok: true,
      metrics: expect.objectContaining({
        'exchange.mean': total / messages,
        'exchange.max': totals.msg_time_max,
        'rate.messages': totals.total_msgs_per_sec,
        'count.sent': messages,
      }),
    });
  });

  it('reads the section TOTAL of text, also with the misspelt label of old versions', () => {
    const text = sample('mqtt-benchmark.txt');
    const found = read('mqtt-benchmark', text);
    const totalOf = (label: string) =>
      Number(new RegExp(`^${label}:\\s*([\\d.]+)`, 'm').exec(text.slice(text.indexOf('TOTAL')))?.[1]);
    expect(found).toMatchObject({
      ok: true,
      metrics: {
        'exchange.mean': totalOf('Msg time mean mean \\(ms\\)'),
        'exchange.max': totalOf('Msg time max \\(ms\\)'),
        'rate.messages': totalOf('Total Bandwidth \\(msg/sec\\)'),
        'publishers.totalRunTime': totalOf('Total Runtime \\(sec\\)'),
      },
    });
    expect(read('mqtt-benchmark', text.replace('Total Runtime', 'Total Runime'))).toEqual(found);
  });

  it.each([
    ['', 'Total Ratio'],
    ['{"totals": {"successes": 1}}', 'failures'],
    ['{"totals": ', 'file'],
  ])('names what is missing in %j', (text, words) => {
    const found = read('mqtt-benchmark', text);
    expect(found).toMatchObject({ ok: false, issue: { remedy: expect.stringContaining('--format json') } });
    expect(JSON.stringify(found)).toContain(words);
  });
});

describe('emqtt-bench', () => {
  it('takes the rate from the slope of the received messages, and the last counts', () => {
    expect(read('emqtt-bench', sample('emqtt-bench-sub.txt'))).toEqual({
      ok: true,
      metrics: {
        // From 1 s to 1 min 2 s.
        'rate.messages': (6150 - 50) / 61,
        'count.received': 6150,
        'count.connectionsOpened': 10,
      },
    });
  });

  it('takes acknowledged publications if nothing was received', () => {
    expect(read('emqtt-bench', sample('emqtt-bench-pub.txt'))).toEqual({
      ok: true,
      metrics: {
        'rate.messages': (298 - 98) / 2,
        'count.sent': 298,
        'count.connectionsOpened': 10,
        'count.connectionsFailed': 1,
      },
    });
  });

  it('reads the lines of old versions, whose times are in ms', () => {
    const text = 'sent(1001): total=100, rate=99(msg/sec)\nsent(3001): total=500, rate=200(msg/sec)\n';
    expect(read('emqtt-bench', text)).toEqual({
      ok: true,
      metrics: { 'rate.messages': 200, 'count.sent': 500 },
    });
  });

  it('refuses a file without counters', () => {
    expect(read('emqtt-bench', 'Start with 2 workers\n')).toMatchObject({
      ok: false,
      issue: { field: 'file', remedy: expect.stringContaining('emqtt_bench') },
    });
  });
});

it('every tool gives metrics of the catalogue', () => {
  const files = ['mqtt-benchmark.json', 'mqtt-benchmark.txt', 'emqtt-bench-sub.txt', 'emqtt-bench-pub.txt'];
  for (const file of files) {
    const tool = toolNames.find((name) => file.startsWith(name)) ?? '';
    const found = read(tool, sample(file));
    expect(found?.ok).toBe(true);
    for (const id of Object.keys(found?.ok ? found.metrics : {})) expect(findMetric(id)).toBeDefined();
  }
});
