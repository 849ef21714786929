import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatCount } from '../../format/number.ts';
import { retransmissionsOf, shapingRows } from '../evidence/shaping-evidence.ts';

/**
 * Checks the kernel's counters: drops are consistent with the requested loss, round trips are not too short,
 * and the rate is not above the limit.
 */
export const impairmentApplied: VerdictDefinition = {
  id: 'impairment-applied',
  label: 'Impairment applied as requested',
  fault: 'Impairment not applied as requested',
  remedy: 'Check the device page to see whether the device can shape traffic, then run again.',
  judge: (evidence) => {
    const rows = shapingRows(evidence);
    if (rows.length === 0) {
      return { status: 'not applicable', evidence: `no impairment was requested on ${evidence.spec.link}` };
    }
    const words = rows.map(({ flow, quality, asked, measured }) =>
      quality === 'in place' ? `${flow}: ${measured}` : `${measured} (requested: ${asked})`,
    );
    const tcp = retransmissionsOf(evidence);
    const retransmitted =
      tcp === null ? [] : [`${formatCount(tcp.again)} of ${formatCount(tcp.sent)} segments retransmitted`];
    return {
      status: rows.every(({ ok }) => ok !== false) ? 'passed' : 'failed',
      evidence: [...words, ...retransmitted].join('; '),
    };
  },
};
