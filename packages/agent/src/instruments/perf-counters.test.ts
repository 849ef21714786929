import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { identifyProcess } from '../processes/child-records.ts';
import { runCommand } from '../processes/programs.ts';
import { makeTestRecords } from '../testing/child-records.ts';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { pi4Tree } from './energy/testing/pi-trees.ts';
import { PerfCounting, parsePerf, probePerf } from './perf-counters.ts';

/** Output of perf 6.1 on a Raspberry Pi 4, and on a machine without counters. */
const counted = `12345678,,cycles,20000000,100.00,,
7654321,,instructions:u,20000000,100.00,0.62,insn per cycle
250000,,cache-references,20000000,100.00,,
<not counted>,,cache-misses,0,0.00,,
`;
const unsupported = '<not supported>,,cycles,0,100.00,,\n<not supported>,,instructions,0,100.00,,\n';

test('parses the output of perf, and never reads text as numbers', () => {
  expect(parsePerf(counted)).toEqual({
    cycles: 12_345_678,
    instructions: 7_654_321,
    cacheReferences: 250_000,
    cacheMisses: null,
  });
  expect(Object.values(parsePerf(unsupported))).toEqual([null, null, null, null]);
  expect(Object.values(parsePerf('Error:\nno such event'))).toEqual([null, null, null, null]);
});

test('reports why there are no counters: kernel, program, permission, processor', async () => {
  const root = makeTemporaryFolder();
  const answer = (text: string) => () => Promise.resolve(text);
  expect(await probePerf(root, answer(counted))).toContain('no hardware counters');
  writeFileTree(root, pi4Tree);
  expect(await probePerf(root, answer(counted))).toBeNull();
  expect(await probePerf(root, answer(unsupported))).toContain('supports none');
  const failing = (message: string) => () => Promise.reject(new Error(message));
  expect(await probePerf(root, failing('spawn perf ENOENT'))).toContain('not installed');
  expect(await probePerf(root, failing('Access to performance monitoring is limited'))).toContain('limited');
});

test('this machine has counters, or reports why not', async () => {
  expect((await probePerf('/sys', runCommand))?.length ?? 20).toBeGreaterThan(10);
});

test('a process that has ended has a reason and no value', async () => {
  expect(await new PerfCounting({ pids: [2 ** 22 - 1], records: makeTestRecords() }).finish()).toMatchObject({
    reason: expect.stringContaining('perf'),
  });
});

test('perf is ended by the next agent when this one was killed', async () => {
  const programs = makeTemporaryFolder();
  // A replacement for perf, so that the test also runs without it.
  writeFileSync(join(programs, 'perf'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = makeTemporaryFolder();
  const counting = new PerfCounting({ pids: [process.pid], records: makeTestRecords(folder) });
  const pid = Number.parseInt(readdirSync(folder)[0] ?? '', 10);
  expect(identifyProcess('/proc', pid)).not.toBeNull();
  await makeTestRecords(folder).open();
  expect(identifyProcess('/proc', pid)).toBeNull();
  expect(await counting.finish()).toHaveProperty('reason');
  expect(readdirSync(folder)).toEqual([]);
});
