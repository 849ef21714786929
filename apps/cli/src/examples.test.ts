import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { exampleNames, examplesFolder, type LocalApp, startLocalApp } from './testing/server.ts';

let app: LocalApp;
beforeAll(async () => {
  app = await startLocalApp();
});
afterAll(() => app.stop());

describe.each(exampleNames)('examples/%s', (name) => {
  it('is filled in and said to run by "plan check"', async () => {
    const { code, said } = await app.call('plan', 'check', join(examplesFolder, name));
    expect(code).toBe(0);
    expect(said).toMatch(/\d+ runs: \d+ treatments x \d repetitions\.\nAbout \d/);
    // What it prints is a plan again, and the same.
    const path = join(app.folder, `filled-${name}`);
    const text = said.slice(0, said.indexOf('\n\n', said.indexOf('thresholds:')));
    writeFileSync(path, text);
    const again = await app.call('plan', 'check', path);
    expect(again.said.slice(0, text.length)).toBe(text);
  });
});

it('plan check and run warn about a threshold without enough repetitions, and JUnit says why it is skipped', async () => {
  const path = (name: string) => join(app.folder, name);
  const limit = { metric: 'wire.perMessage', atMost: 10_000 };
  const plan = `factors: { security: plain }\nworkload: { warmUp: 1500ms, measure: 300ms }\nrepetitions: 1\n${YAML.stringify({ thresholds: [limit] })}`;
  writeFileSync(path('few.yaml'), plan);
  const warning = /Warning: thresholds\[0\]: .*at least\s+3\s+repetitions/s;
  expect((await app.call('plan', 'check', path('few.yaml'))).said).toMatch(warning);
  const { code, noted } = await app.call('run', path('few.yaml'), '--junit', path('few.xml'));
  expect(noted).toMatch(warning);
  expect(code).toBe(0);
  expect(readFileSync(path('few.xml'), 'utf8')).toMatch(
    /<skipped message="not resolved: .*an interval needs at least 3 valid runs"\/>/,
  );
});

it('a pipeline ends with 99 where a limit against an earlier bundle is broken, and reads why', async () => {
  const path = (name: string) => join(app.folder, name);
  const plain =
    'factors: { security: plain }\nworkload: { warmUp: 1500ms, measure: 300ms }\nrepetitions: 3\n';
  writeFileSync(path('base.yaml'), plain);
  const limits = [110, 90].map((limit) => ({ metric: 'wire.perMessage', atMost: limit, of: 'baseline' }));
  writeFileSync(path('gate.yaml'), plain + YAML.stringify({ thresholds: limits }));
  const [, id = ''] = /^(E-\d+) started/.exec((await app.call('run', path('base.yaml'))).noted) ?? [];
  await app.call('export', id, '--bundle', '-o', path('base.zip'));
  const files = ['--junit', path('junit.xml'), '--summary', path('summary.md')];
  const { code, said } = await app.call('run', path('gate.yaml'), '--baseline', path('base.zip'), ...files);
  expect(code, said).toBe(99);
  // By another program's parser, which comes without types.
  const { JSDOM } = await import('jsdom' as string);
  const { document } = new JSDOM(readFileSync(path('junit.xml'), 'utf8'), { contentType: 'text/xml' }).window;
  const cases: { querySelector(name: string): unknown; getAttribute(name: string): string }[] = [
    ...document.querySelectorAll('testcase'),
  ];
  const failures = cases.filter((entry) => entry.querySelector('failure'));
  expect([cases.length, failures.length]).toEqual([5, 1]);
  expect(failures[0]?.getAttribute('name')).toContain('at most 90 % of the baseline');
  expect(document.querySelector('testsuite:last-child')?.getAttribute('failures')).toBe('1');
  expect(readFileSync(path('summary.md'), 'utf8')).toMatch(
    /\| .*at most 90 % of the baseline \|.*\| broken \|/,
  );
});
