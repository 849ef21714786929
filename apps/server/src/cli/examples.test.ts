import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { type RunningApp, startApp } from '../app.ts';
import { parseConfig } from '../base/config.ts';
import { findProject } from '../base/project.ts';
import { plan } from './commands/plan.ts';
import { run } from './commands/run.ts';
import { runCli } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'mqttlab-examples-'));
const examples = join(findProject().root, 'examples');
let app: RunningApp;

beforeAll(async () => {
  const environment = { PORT: '0', LOG_LEVEL: 'silent', MQTTLAB_DATA: join(folder, 'data') };
  app = await startApp(parseConfig(environment, findProject()));
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

async function call(...argv: string[]) {
  const said: string[] = [];
  const noted: string[] = [];
  const code = await runCli({
    argv,
    env: { MQTTLAB_URL: app.address },
    commands: [plan, run],
    columns: 80,
    print: (text) => said.push(text),
    note: (text) => noted.push(text),
    signal: new AbortController().signal,
  });
  return { code, said: said.join('\n'), noted: noted.join('\n') };
}

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

describe.each(readdirSync(examples))('examples/%s', (name) => {
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
    expect(said).toContain('Treatment');
    expect(code, said).toBe(0);
  });
});
