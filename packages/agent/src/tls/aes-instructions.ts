import { createCipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { aesInstructions } from '@mqttlab/shared/catalogue/factors/aes-instructions';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { readText } from '../processes/files.ts';

export type Environment = Readonly<Record<string, string>>;

/**
 * Environment that disables AES instructions. On x86, it clears AES-NI (bit 57) and PCLMULQDQ (33), then VAES
 * and VPCLMULQDQ (OPENSSL_ia32cap(3)). On ARM, keeps only NEON, as on a Cortex-A72 without the cryptography
 * extension.
 */
const switches: Readonly<Partial<Record<NodeJS.Architecture, Environment>>> = {
  x64: { OPENSSL_ia32cap: '~0x200000200000000:~0x60000000000' },
  arm64: { OPENSSL_armcap: '1' },
};

const settings = Object.values(switches).flatMap((one) =>
  Object.entries(one).map(([name, value]) => `${name}=${value}`),
);

/**
 * Returns the environment for a process of this trial, so that its OpenSSL uses the requested instructions.
 */
export function aesEnvironment(
  spec: Pick<TrialSpec, 'options'>,
  architecture: NodeJS.Architecture = process.arch,
): Environment {
  return aesInstructions.of(spec) === 'off' ? (switches[architecture] ?? {}) : {};
}

/** Returns true if a process runs with AES instructions disabled, according to its environment (proc(5)). */
export function describeAes(procRoot: string, pid: number | null): { 'broker.aesInstructions'?: 'off' } {
  const environment = pid === null ? null : readText(join(procRoot, String(pid), 'environ'));
  const isOff = environment?.split('\0').some((entry) => settings.includes(entry)) ?? false;
  return isOff ? { 'broker.aesInstructions': 'off' } : {};
}

const chunk = Buffer.alloc(256 * 1024);
const rounds = 3;

/** Measures the speed of AES-256-GCM relative to ChaCha20-Poly1305 in this process; takes about 10 ms. */
export function compareAes(): number {
  const timeOf = (cipher: 'aes-256-gcm' | 'chacha20-poly1305') => {
    const times = Array.from({ length: rounds }, () => {
      const begun = process.hrtime.bigint();
      const options = { authTagLength: 16 };
      const encryption =
        cipher === 'aes-256-gcm'
          ? createCipheriv(cipher, randomBytes(32), randomBytes(12), options)
          : createCipheriv(cipher, randomBytes(32), randomBytes(12), options);
      encryption.update(chunk);
      encryption.final();
      return Number(process.hrtime.bigint() - begun);
    });
    return Math.min(...times);
  };
  return timeOf('chacha20-poly1305') / timeOf('aes-256-gcm');
}
