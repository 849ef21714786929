import { expect, test } from 'vitest';
import { makeTestSpec } from './testing/specs.ts';
import { aesEnvironment } from './tls/aes-instructions.ts';

const off = { options: { aesInstructions: 'off' } };

test('a run does not change the environment of its processes unless AES instructions are disabled', () => {
  expect(aesEnvironment(makeTestSpec())).toEqual({});
  expect(aesEnvironment(makeTestSpec(off), 'x64')).toEqual({
    OPENSSL_ia32cap: '~0x200000200000000:~0x60000000000',
  });
  expect(aesEnvironment(makeTestSpec(off), 'arm64')).toEqual({ OPENSSL_armcap: '1' });
  expect(aesEnvironment(makeTestSpec(off), 'riscv64')).toEqual({});
});
