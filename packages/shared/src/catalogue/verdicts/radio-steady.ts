import type { RunRadio } from '../../domain/runs/radio.ts';
import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { nameOf } from '../evidence/evidence.ts';
import { channelOf } from '../evidence/radio-evidence.ts';
import { timesAndPower } from './matters.ts';

/** PHY rates go up and down by a step or two all the time; less than this share of the first is another link. */
const leastRateShare = 0.5;

interface Finding {
  /** null: nothing that counts is known. */
  steady: boolean | null;
  words: string;
}

/** Whether the WiFi of every device was the same after the Run as before it. */
export const radioSteady: VerdictDefinition = {
  id: 'radio-steady',
  label: 'Radio link steady',
  fault: 'Radio link changed',
  remedy:
    'Fix the channel of the access point, move the device closer or away from others, then run them again.',
  matters: timesAndPower,
  judge: ({ results }) => {
    const findings = results.flatMap((result) =>
      result.radio ? [{ ...judgeRadio(result.radio), name: nameOf(result) }] : [],
    );
    if (findings.length === 0)
      return { status: 'not applicable', evidence: 'no wireless interface was used' };
    const wrong = findings.filter(({ steady }) => steady === false);
    const told = (wrong.length > 0 ? wrong : findings)
      .map(({ name, words }) => `${name}: ${words}`)
      .join('; ');
    if (wrong.length > 0) return { status: 'failed', evidence: told };
    return { status: findings.some(({ steady }) => steady) ? 'passed' : 'not applicable', evidence: told };
  },
};

function judgeRadio({ interface: name, before, after }: RunRadio): Finding {
  if (after === null) return { steady: null, words: `${name} was not asked again` };
  if (after.connected === false) return { steady: false, words: `${name} had lost its access point` };
  const [was, is] = [before, after].map((state) => state.frequencyMhz ?? state.channel);
  if (was !== null && is !== null && was !== is) {
    return { steady: false, words: `${name} went from channel ${channelOf(before)} to ${channelOf(after)}` };
  }
  const rates = `${formatNumber(before.transmitMbit ?? 0)} to ${formatNumber(after.transmitMbit ?? 0)} Mbit/s`;
  if (before.transmitMbit === null || after.transmitMbit === null) {
    const words =
      was === null
        ? 'channel and PHY rate are not known, for iw is not installed'
        : `channel ${channelOf(after)}, PHY rate not known`;
    return { steady: was === null ? null : true, words: `${name}: ${words}` };
  }
  if (after.transmitMbit < leastRateShare * before.transmitMbit) {
    return { steady: false, words: `PHY rate of ${name} fell from ${rates}` };
  }
  return { steady: true, words: `${name} on channel ${channelOf(after) ?? 'not known'}, PHY rate ${rates}` };
}
