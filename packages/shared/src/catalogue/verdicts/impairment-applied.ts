import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatCount } from '../../format/number.ts';
import { retransmissionsOf, shapingRows } from '../evidence/shaping-evidence.ts';

/** By what the kernel counted: drops within chance of what was asked, round trips no shorter, no more bits than allowed. */
export const impairmentApplied: VerdictDefinition = {
  id: 'impairment-applied',
  label: 'Impairment applied as asked',
  fault: 'Impairment not applied as asked',
  remedy: 'Check on the device page that it can shape traffic, then run them again.',
  judge: (evidence) => {
    const rows = shapingRows(evidence);
    if (rows.length === 0) {
      return { status: 'not applicable', evidence: `no impairment was asked for on ${evidence.spec.link}` };
    }
    const words = rows.map(({ flow, quality, asked, measured }) =>
      quality === 'in place' ? `${flow}: ${measured}` : `${measured} (asked ${asked})`,
    );
    const tcp = retransmissionsOf(evidence);
    const again =
      tcp === null ? [] : [`${formatCount(tcp.again)} of ${formatCount(tcp.sent)} segments sent again`];
    return {
      status: rows.every(({ ok }) => ok !== false) ? 'passed' : 'failed',
      evidence: [...words, ...again].join('; '),
    };
  },
};
