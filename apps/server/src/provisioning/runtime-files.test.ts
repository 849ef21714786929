import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRuntimeFiles } from './runtime-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-runtime-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('packs the agent once for several devices, and again after a rebuild', async () => {
  const agentBundle = join(folder, 'agent.mjs');
  writeFileSync(agentBundle, 'x'.repeat(2_000_000));
  const cacheFolder = join(folder, 'cache');
  const files = makeRuntimeFiles({ projectRoot: folder, cacheFolder, agentBundle });
  const packed = await Promise.all(Array.from({ length: 6 }, () => files.agent()));
  expect(new Set(packed.map(({ sha256 }) => sha256)).size).toBe(1);
  expect(readdirSync(cacheFolder)).toEqual([`${packed[0]?.sha256}.gz`]);
  writeFileSync(agentBundle, 'y');
  expect((await files.agent()).bytes).toBe(1);
});
