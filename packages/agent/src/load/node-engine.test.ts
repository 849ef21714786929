import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { makeEngineFlags } from './node-engine.ts';

it('uses only options that this Node supports', () => {
  const output = execFileSync(process.execPath, [...makeEngineFlags(process.versions.v8), '-p', '1'], {
    encoding: 'utf8',
  });
  expect(output.trim()).toBe('1');
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of makeEngineFlags(process.versions.v8)) {
    expect(known).toContain(flag.replace(/^--no-/, '--').replace(/=.*/, ''));
  }
});

it('omits options for other engine versions', () => {
  expect(makeEngineFlags('11.3.244.8-node.33')).toEqual(['--no-memory-reducer']);
  expect(makeEngineFlags('13.6.233.17-node.1').length).toBeGreaterThan(1);
});
