import type { Derived, Levels, PartEvidence } from '@mqttlab/shared/analysis/claims/claim';
import { isSelected } from '@mqttlab/shared/analysis/claims/lines';

/** Recognises the link type by the link name, which defaults to the interface name. */
export function isWireless(levels: Levels): boolean {
  return /^wl|wi-?fi|wireless/i.test(String(levels.link));
}

export function isCellular(levels: Levels): boolean {
  return /lte|4g|5g|cell|wwan/i.test(String(levels.link));
}

export function needsTreatment(
  selection: Parameters<typeof isSelected>[1],
  reason: string,
): (evidence: PartEvidence) => string | null {
  return ({ treatments }) =>
    treatments.some(({ treatment }) => isSelected(treatment.levels, selection)) ? null : reason;
}

/** Returns a reason if all roles run on one device, so that energy and CPU include all of them. */
export function needsSeparateDevices({ treatments }: PartEvidence): string | null {
  return treatments.some(({ treatment }) => treatment.levels.link === 'lo')
    ? 'all roles run on one machine, and its energy cannot be divided among the roles'
    : null;
}

/** Width of the middle half of a run's latencies. */
export const quartileRange: Derived = {
  label: 'interquartile range of latency',
  unit: 'ms',
  kind: 'positive',
  metrics: ['latency.p25', 'latency.p75'],
  of: ([p25, p75]) => (p25 === undefined || p75 === undefined ? null : p75 - p25),
};
