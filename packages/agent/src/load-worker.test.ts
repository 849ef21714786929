import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Paths of the modules that are evaluated when this one is imported: types and dynamic imports are left out. */
async function listEvaluated(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['bufferutil', 'utf-8-validate'],
    metafile: true,
  });
  const evaluated = new Set<string>();
  const visit = (path: string): void => {
    if (evaluated.has(path)) return;
    evaluated.add(path);
    for (const { path: imported, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import' && external !== true) visit(imported);
    }
  };
  visit(entry);
  return [...evaluated].map((path) => join('packages/agent/src', path));
}

test('a load process evaluates neither the schemas of plans and results nor the drivers of other loads', async () => {
  const evaluated = await listEvaluated('load-worker.ts');
  expect(evaluated).toContain('packages/agent/src/load/load-client.ts');
  // Each run starts two of these processes, and schemas took half of the CPU time of their start.
  expect(evaluated).not.toContain('packages/shared/src/domain/bounds.ts');
  expect(
    evaluated.filter((path) => /src\/(bridge\/bridge-client|clients\/process-driver|load\/coap)/.test(path)),
  ).toEqual([]);
});
