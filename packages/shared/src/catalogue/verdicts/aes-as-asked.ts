import { isBrokerRole } from '../../domain/devices/device.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { nameOf, numberIn } from '../evidence/evidence.ts';
import { aesInstructions } from '../factors/aes-instructions.ts';

/** AES-256-GCM over ChaCha20-Poly1305 in the same process: above 1 with the instructions, about a quarter without. */
const limit = 0.75;

/** Holds the AES instructions that were switched off against what each process then computes. */
export const aesAsAsked: VerdictDefinition = {
  id: 'aes-as-asked',
  label: 'AES instructions as asked',
  fault: 'AES instructions were not switched off',
  remedy: 'Update the agent of that device; a TLS library other than OpenSSL does not heed the switch.',
  judge: ({ spec, results }) => {
    if (aesInstructions.of(spec) !== 'off') {
      return { status: 'not applicable', evidence: 'nothing was switched off' };
    }
    const wrong = results.filter((result) => !isOff(result));
    if (wrong.length > 0) return { status: 'failed', evidence: wrong.map(describe).join('; ') };
    const largest = Math.max(...results.map((result) => ratioOf(result) ?? 0));
    return {
      status: 'passed',
      evidence: `${results.length} of ${results.length} roles; in the processes that drive the load AES-256-GCM is at most ${formatNumber(largest)} times as fast as ChaCha20-Poly1305, limit ${limit}`,
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
    ? `${nameOf(result)}: does not say`
    : `${nameOf(result)}: AES-256-GCM ${formatNumber(ratio)} times as fast as ChaCha20-Poly1305, limit ${limit}`;
}
