import { expect, test } from 'vitest';
import { parseCpuInfo, readCpuInfo } from './capabilities.ts';

const pi4 = `processor	: 0
BogoMIPS	: 108.00
Features	: fp asimd evtstrm crc32 cpuid
CPU implementer	: 0x41
CPU architecture: 8
CPU part	: 0xd08

processor	: 1
BogoMIPS	: 108.00
Features	: fp asimd evtstrm crc32 cpuid
CPU part	: 0xd08

Revision	: c03114
Serial		: 10000000abcdef01
Model		: Raspberry Pi 4 Model B Rev 1.4
`;

const pi5 = `processor	: 0
Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics
CPU part	: 0xd0b

Model		: Raspberry Pi 5 Model B Rev 1.0
`;

const x86 = `processor	: 0
vendor_id	: GenuineIntel
model		: 106
model name	: Intel(R) Xeon(R) Processor @ 2.80GHz
flags		: fpu pclmulqdq sse4_2 aes avx2 sha_ni vaes

processor	: 1
model name	: Intel(R) Xeon(R) Processor @ 2.80GHz
flags		: fpu pclmulqdq sse4_2 aes avx2 sha_ni vaes
`;

const oldArm = `processor	: 0
model name	: ARMv6-compatible processor rev 7 (v6l)
Features	: half thumb fastmult vfp edsp java tls
CPU part	: 0xb76

Hardware	: BCM2835
`;

test.each([
  ['Pi 4 without AES', pi4, 'Raspberry Pi 4 Model B Rev 1.4 (Cortex-A72)', 2, ['neon']],
  ['Pi 5', pi5, 'Raspberry Pi 5 Model B Rev 1.0 (Cortex-A76)', 1, ['aes', 'neon', 'pmull', 'sha2']],
  ['x86', x86, 'Intel(R) Xeon(R) Processor @ 2.80GHz', 2, ['aes', 'avx2', 'pclmulqdq', 'sha2', 'vaes']],
  ['Pi Zero', oldArm, 'BCM2835 (ARM1176)', 1, []],
  ['nothing', '', 'unknown', 1, []],
])('%s', (...[, text, model, cores, features]) => {
  expect(parseCpuInfo(text)).toEqual({ model, cores, features });
});

test('reads this machine', () => {
  expect(readCpuInfo('/proc').cores).toBeGreaterThan(0);
});
