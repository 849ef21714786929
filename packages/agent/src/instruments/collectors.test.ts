import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import {
  makeAgentCpuCollector,
  makeDeviceCpuCollector,
  makeProcessCpuCollector,
  ProcessCpuTime,
} from './cpu.ts';
import {
  forgetPeak,
  makeMemoryCollector,
  makeProportionalMemoryCollector,
  readPageBytes,
  readPeakBytes,
  readProportionalBytes,
} from './memory.ts';
import { makeNetworkCollector } from './network.ts';

const stat = (utime: number, stime: number) =>
  `42 (a (b) c) S 1 42 42 0 -1 4194304 100 0 0 0 ${utime} ${stime} 0 0 20 0 1 0 900 1000 25`;

function auxv(pageBytes: number): Buffer {
  const vector = Buffer.alloc(48);
  [16n, 7n, 6n, BigInt(pageBytes), 0n, 0n].forEach((word, index) => {
    vector.writeBigUInt64LE(word, index * 8);
  });
  return vector;
}

test('CPU of a process counts every thread, also those that have ended', () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, {
    '42/task/42/schedstat': '1000000000 5 9\n',
    '42/task/43/schedstat': '500000000 5 9\n',
  });
  const collector = makeProcessCpuCollector(new ProcessCpuTime(root, 42));
  expect(collector.read(0)).toEqual([null]);
  writeFileTree(root, { '42/task/42/schedstat': '1100000000 6 9\n' });
  expect(collector.read(200_000)).toEqual([50]);
  rmSync(join(root, '42/task/43'), { recursive: true });
  writeFileTree(root, { '42/task/42/schedstat': '1150000000 6 9\n' });
  expect(collector.read(300_000)[0]).toBeCloseTo(50, 6);
  collector.close();
});

test.each([
  ['there is no schedstat', {}],
  ['the kernel writes zeros into it', { '42/task/42/schedstat': '0 0 0\n' }],
])('CPU of a process is read from utime and stime if %s', (_why, files) => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { '42/task/42/comm': 'x', '42/stat': stat(100, 20), ...files });
  const time = new ProcessCpuTime(root, 42);
  expect(time.readUs()).toBe(1_200_000);
  writeFileTree(root, { '42/stat': stat(110, 25) });
  expect(time.readUs()).toBe(1_350_000);
  time.close();
});

test('CPU of the device is the busy share of all cores; waiting and stolen time are not busy', () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, {
    stat: 'cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 100 0 100 700 100\ncpu2 1 0 0 1 0\nintr 1 2 3\n',
  });
  const collector = makeDeviceCpuCollector(root);
  expect(collector.metrics.map(({ metric }) => metric)).toEqual(['cpu.device', 'cpu.core0', 'cpu.core2']);
  expect(collector.read(0)).toEqual([null, null, null]);
  writeFileTree(root, {
    stat: 'cpu  120 0 110 740 110 0 10 10 0 0\ncpu0 120 0 110 740 110 0 10 10\ncpu2 4 0 0 2 0\nintr 1\n',
  });
  expect(collector.read(1)).toEqual([40, 40, 75]);
  // A disabled core has no line; the others continue.
  writeFileTree(root, { stat: 'cpu  130 0 110 750 110 0 10 10 0 0\ncpu2 5 0 0 3 0\nintr 1\n' });
  expect(collector.read(2)).toEqual([50, null, 50]);
  writeFileTree(root, { stat: 'nonsense\n' });
  expect(() => collector.read(2)).toThrow('/proc/stat');
  collector.close();
});

test('on a virtual machine, time that its host used for others is a separate share', () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { stat: 'cpu  100 0 100 700 100 0 0 50 0 0\ncpu0 100 0 100 700 100 0 0 50\nintr 1\n' });
  const collector = makeDeviceCpuCollector(root);
  expect(collector.metrics.map(({ metric }) => metric)).toEqual(['cpu.device', 'cpu.core0', 'cpu.stolen']);
  expect(collector.read(0)).toEqual([null, null, null]);
  writeFileTree(root, { stat: 'cpu  120 0 110 740 110 0 0 70 0 0\ncpu0 120 0 110 740 110 0 0 70\nintr 1\n' });
  expect(collector.read(1)).toEqual([30, 30, 20]);
  collector.close();
});

test('CPU of the agent is user and system time together', () => {
  let usage = { user: 1_000, system: 1_000 };
  const collector = makeAgentCpuCollector(() => usage);
  collector.read(0);
  usage = { user: 2_000, system: 1_500 };
  expect(collector.read(100_000)).toEqual([1.5]);
});

test('memory is counted in the pages of this kernel', () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { '42/statm': '9000 250 100 1 0 80 0\n', 'self/auxv': auxv(16_384) });
  const collector = makeMemoryCollector(root, [42]);
  expect(collector.read(0)).toEqual([250 * 16_384]);
  collector.close();
  expect(readPageBytes(join(root, 'nowhere'))).toBe(4_096);
});

test('proportional memory comes from the rollup, and is null when it cannot be read', () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, {
    '42/smaps_rollup': '55d0-7ffe ---p 0 00:00 0 [rollup]\nRss:  900 kB\nPss:   512 kB\n',
  });
  expect(readProportionalBytes(root, [42])).toBe(524_288);
  expect(readProportionalBytes(root, [43])).toBeNull();
});

test('proportional memory can be sampled for running processes', () => {
  const own = makeProportionalMemoryCollector('/proc', [process.pid]);
  expect(own.read(0)[0]).toBeGreaterThan(1e6);
  own.close();
  expect(() => makeProportionalMemoryCollector('/proc', [2 ** 22 + 1]).read(0)).toThrow('smaps_rollup');
});

test('the peak of memory can be reset', async () => {
  const script =
    'let large = Buffer.alloc(2e8, 1); large = null; gc(); console.log(1); setInterval(() => {}, 1e3)';
  const child = spawn(process.execPath, ['--expose-gc', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  expect(readPeakBytes('/proc', pid)).toBeGreaterThan(2e8);
  expect(forgetPeak('/proc', pid)).toBe(true);
  expect(readPeakBytes('/proc', pid)).toBeLessThan(2e8);
  const root = makeTemporaryFolder();
  writeFileTree(root, { '42/status': 'Name:\tmosquitto\nVmHWM:\t    7084 kB\nVmRSS:\t 6000 kB\n' });
  expect(readPeakBytes(root, 42)).toBe(7_084 * 1_024);
  expect([readPeakBytes(root, 43), forgetPeak(root, 43)]).toEqual([null, false]);
});

test('network rates are bytes per second; a counter that decreased has no value', () => {
  const root = makeTemporaryFolder();
  const folder = 'class/net/eth0/statistics';
  const write = (rx: number, tx: number) =>
    writeFileTree(root, { [`${folder}/rx_bytes`]: `${rx}\n`, [`${folder}/tx_bytes`]: `${tx}\n` });
  write(1_000, 50);
  const collector = makeNetworkCollector(root, 'eth0');
  expect(collector.read(0)).toEqual([null, null]);
  write(3_000, 150);
  expect(collector.read(500_000)).toEqual([4_000, 200]);
  write(10, 250);
  expect(collector.read(1_000_000)).toEqual([null, 200]);
  collector.close();
});
