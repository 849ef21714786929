import { isBrokerRole } from '../../domain/devices/device.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { nameOf, numberIn } from '../evidence/evidence.ts';
import { aesInstructions } from '../factors/aes-instructions.ts';

/**
 * Maximum speed ratio of AES-256-GCM to ChaCha20-Poly1305 in one process: over 1 with AES instructions, about
 * 0.25 without them.
 */
const limit = 0.75;

/** Uses speed ratios to check that disabled AES instructions are not used. */
export const aesAsAsked: VerdictDefinition = {
  id: 'aes-as-asked',
  label: 'AES instructions as requested',
  fault: 'AES instructions not disabled',
  remedy: 'Update that device’s agent. TLS libraries other than OpenSSL ignore this setting.',
  judge: ({ spec, results }) => {
    if (aesInstructions.of(spec) !== 'off') {
      return { status: 'not applicable', evidence: 'AES instructions were not disabled' };
    }
    const wrong = results.filter((result) => !isOff(result));
    if (wrong.length > 0) return { status: 'failed', evidence: wrong.map(describe).join('; ') };
    const largest = Math.max(...results.map((result) => ratioOf(result) ?? 0));
    return {
      status: 'passed',
      evidence: `${results.length} of ${results.length} roles; in the load processes, AES-256-GCM is at most ${formatNumber(largest)} times as fast as ChaCha20-Poly1305, limit ${limit}`,
    };
  },
};

function ratioOf({ environment }: RoleResult): number | null {
  return numberIn(environment['aes.againstChaCha']);
}

function isOff(result: RoleResult): boolean {
  if (isBrokerRole(result.role)) return result.environment['broker.aesInstructions'] === 'off';
  const ratio = ratioOf(result);
  return ratio !== null && ratio < limit;
}

function describe(result: RoleResult): string {
  const ratio = ratioOf(result);
  return ratio === null
    ? `${nameOf(result)}: not reported`
    : `${nameOf(result)}: AES-256-GCM ${formatNumber(ratio)} times as fast as ChaCha20-Poly1305, limit ${limit}`;
}
