import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { exampleNames, examplesFolder, type LocalApp, startLocalApp } from './testing/server.ts';

let app: LocalApp;
beforeAll(async () => {
  app = await startLocalApp();
});
afterAll(() => app.stop());

/** The same plan with two levels of each factor, once, over very short loads. */
function small(name: string): string {
  const written = YAML.parse(readFileSync(join(examplesFolder, name), 'utf8'));
  const factors = Object.entries<unknown>(written.factors).map(([id, levels]) => [
    id,
    Array.isArray(levels) ? levels.slice(0, 2) : levels,
  ]);
  const { kind } = written.workload;
  const load = kind === 'handshake' ? { connections: 4 } : {};
  const workload = { kind, warmUp: '100ms', measure: '300ms', ...load };
  const path = join(app.folder, name);
  writeFileSync(
    path,
    YAML.stringify({ ...written, factors: Object.fromEntries(factors), workload, repetitions: 1 }),
  );
  return path;
}

it.each(exampleNames)('examples/%s runs', async (name) => {
  const { code, said, noted } = await app.call('run', small(name));
  expect(noted).toMatch(/\b(\d+) of \1 runs\b/);
  // A line for each run and each state, none for each second.
  expect(noted.split('\n').length).toBeLessThan(2 * Number(/of (\d+) runs/.exec(noted)?.[1]) + 6);
  expect(said).toContain('Treatment');
  expect(code, said).toBe(0);
});
