import type { RunRadio } from '../../domain/runs/radio.ts';
import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatNumber } from '../../format/number.ts';
import { nameOf } from '../evidence/evidence.ts';
import { channelOf } from '../evidence/radio-evidence.ts';
import { timesAndPower } from './matters.ts';

/**
 * PHY rates constantly change by a step or two. A rate below this share of the first rate counts as a changed
 * link.
 */
const leastRateShare = 0.5;

interface Finding {
  /** null if unknown. */
  steady: boolean | null;
  words: string;
}

/** Checks that the WiFi link of every device did not change during the run. */
export const radioSteady: VerdictDefinition = {
  id: 'radio-steady',
  label: 'Radio link steady',
  fault: 'Radio link changed',
  remedy:
    'Fix the channel of the access point, or move the device closer to it or away from other access points, then run again.',
  matters: timesAndPower,
  judge: ({ results }) => {
    const findings = results.flatMap((result) =>
      result.radio ? [{ ...judgeRadio(result.radio), name: nameOf(result) }] : [],
    );
    if (findings.length === 0)
      return { status: 'not applicable', evidence: 'no wireless interface was used' };
    const wrong = findings.filter(({ steady }) => steady === false);
    const text = (wrong.length > 0 ? wrong : findings)
      .map(({ name, words }) => `${name}: ${words}`)
      .join('; ');
    if (wrong.length > 0) return { status: 'failed', evidence: text };
    return { status: findings.some(({ steady }) => steady) ? 'passed' : 'not applicable', evidence: text };
  },
};

function judgeRadio({ interface: name, before, after }: RunRadio): Finding {
  if (after === null) return { steady: null, words: `${name} was not read after the run` };
  if (after.connected === false)
    return { steady: false, words: `${name} was disconnected from its access point` };
  const [first, last] = [before, after].map((state) => state.frequencyMhz ?? state.channel);
  if (first !== null && last !== null && first !== last) {
    return {
      steady: false,
      words: `${name} changed from channel ${channelOf(before)} to ${channelOf(after)}`,
    };
  }
  const rates = `${formatNumber(before.transmitMbit ?? 0)} to ${formatNumber(after.transmitMbit ?? 0)} Mbit/s`;
  if (before.transmitMbit === null || after.transmitMbit === null) {
    const words =
      first === null ? 'unknown: iw is not installed' : `channel ${channelOf(after)}, PHY rate unknown`;
    return { steady: first === null ? null : true, words: `${name}: ${words}` };
  }
  if (after.transmitMbit < leastRateShare * before.transmitMbit) {
    return { steady: false, words: `PHY rate of ${name} fell from ${rates}` };
  }
  return { steady: true, words: `${name} on channel ${channelOf(after) ?? 'unknown'}, PHY rate ${rates}` };
}
