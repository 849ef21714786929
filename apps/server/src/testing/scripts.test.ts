import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../base/project.ts';

const root = findProject().root;
const all = readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.mjs'));
const isScript = (name: string) => !/^export /m.test(readFileSync(join(root, 'scripts', name), 'utf8'));
/** They hand what they are called with to a program that says itself what it does not know. */
const handOn = ['mqttlab.mjs', 'demo.mjs', 'lab.mjs', 'test-studies.mjs'];
/** They take as many files as there are. */
const manyFiles = ['golden.mjs'];
const scripts = [...all.filter(isScript), 'build.mjs'].filter((name) => name !== 'mqttlab.mjs');

function call(name: string, ...args: string[]) {
  const how = { encoding: 'utf8', timeout: 100_000, cwd: root } as const;
  return spawnSync(process.execPath, [join('scripts', name), ...args], how);
}

describe.each(scripts)('scripts/%s', (name) => {
  it('has a help, and does nothing else then', () => {
    const { status, stdout, stderr } = call(name, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: (npm|node) \S+.*\n\n.*\w/s);
  });

  it.skipIf(handOn.includes(name))('refuses what it does not know', () => {
    const words = manyFiles.includes(name) ? [] : [['one', 'two', 'three']];
    for (const unknown of [['--no-such-option'], ...words]) {
      const { status, stdout, stderr } = call(name, ...unknown);
      expect([name, unknown, status, stdout]).toEqual([name, unknown, 2, '']);
      expect(stderr).toMatch(/^(Unknown option|Unexpected argument|Option) .*\nUsage: /);
    }
  });
});

it('the help has a short option, and a value is refused like its option', () => {
  expect(call('build.mjs', '-h').stdout).toBe(call('build.mjs', '--help').stdout);
  expect(call('build.mjs', '--json=yes', 'x')).toMatchObject({ status: 2, stdout: '' });
});

it('every script of package.json is looked at', () => {
  const { scripts: named } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = Object.values<string>(named).flatMap((line) => /scripts\/(\S+)/.exec(line)?.[1] ?? []);
  expect(files.filter((file) => ![...scripts, 'mqttlab.mjs'].includes(file))).toEqual([]);
});
