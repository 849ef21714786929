import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { type RunningApp, startApp } from '../app.ts';
import { parseConfig } from '../base/config.ts';
import { findProject } from '../base/project.ts';
import { exportCommand } from './commands/export.ts';
import { plan } from './commands/plan.ts';
import { run } from './commands/run.ts';
import { callCli } from './testing/call-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'mqttlab-examples-'));
const examples = join(findProject().root, 'examples');
let app: RunningApp | undefined;

beforeAll(async () => {
  const environment = { PORT: '0', LOG_LEVEL: 'silent', MQTTLAB_DATA: join(folder, 'data') };
  app = await startApp(parseConfig(environment, findProject()));
});
afterAll(async () => {
  await app?.stop();
  rmSync(folder, { recursive: true });
});

const call = (...argv: string[]) =>
  callCli(argv, { env: { MQTTLAB_URL: app?.address }, commands: [plan, run, exportCommand] });

/** The same plan with two levels of each factor, once, over very short loads. */
function small(name: string): string {
  const written = YAML.parse(readFileSync(join(examples, name), 'utf8'));
  const factors = Object.entries<unknown>(written.factors).map(([id, levels]) => [
    id,
    Array.isArray(levels) ? levels.slice(0, 2) : levels,
  ]);
  const { kind } = written.workload;
  const load = kind === 'handshake' ? { connections: 4 } : {};
  const workload = { kind, warmUp: '100ms', measure: '300ms', ...load };
  const path = join(folder, name);
  writeFileSync(
    path,
    YAML.stringify({ ...written, factors: Object.fromEntries(factors), workload, repetitions: 1 }),
  );
  return path;
}

describe.each(readdirSync(examples).filter((name) => name.endsWith('.yaml')))('examples/%s', (name) => {
  it('is filled in and said to run by "plan check"', async () => {
    const { code, said } = await call('plan', 'check', join(examples, name));
    expect(code).toBe(0);
    expect(said).toMatch(/\d+ runs: \d+ treatments x \d repetitions\.\nAbout \d/);
    // What it prints is a plan again, and the same.
    const path = join(folder, `filled-${name}`);
    const text = said.slice(0, said.indexOf('\n\n', said.indexOf('thresholds:')));
    writeFileSync(path, text);
    const again = await call('plan', 'check', path);
    expect(again.said.slice(0, text.length)).toBe(text);
  });

  it('runs', async () => {
    const { code, said, noted } = await call('run', small(name));
    expect(noted).toMatch(/\b(\d+) of \1 runs\b/);
    // A line for each run and each state, none for each second.
    expect(noted.split('\n').length).toBeLessThan(2 * Number(/of (\d+) runs/.exec(noted)?.[1]) + 6);
    expect(said).toContain('Treatment');
    expect(code, said).toBe(0);
  });
});

it('a pipeline ends with 99 where a limit against an earlier bundle is broken, and reads why', async () => {
  const path = (name: string) => join(folder, name);
  const plain = 'factors: { security: plain }\nworkload: { warmUp: 100ms, measure: 300ms }\nrepetitions: 3\n';
  writeFileSync(path('base.yaml'), plain);
  const limits = [110, 90].map((limit) => ({ metric: 'wire.perMessage', atMost: limit, of: 'baseline' }));
  writeFileSync(path('gate.yaml'), plain + YAML.stringify({ thresholds: limits }));
  const [, id = ''] = /^(E-\d+) started/.exec((await call('run', path('base.yaml'))).noted) ?? [];
  await call('export', id, '--bundle', '-o', path('base.zip'));
  const files = ['--junit', path('junit.xml'), '--summary', path('summary.md')];
  const { code, said } = await call('run', path('gate.yaml'), '--baseline', path('base.zip'), ...files);
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
