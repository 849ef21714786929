import { bandOf, type RadioState } from '../../domain/runs/radio.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { nameOf } from './evidence.ts';

export interface RadioRow {
  device: string;
  what: string;
  before: string;
  after: string;
}

const unknown = 'unknown';

/** The parts of a result used for radio rows. */
export type RadioResult = Pick<RoleResult, 'role' | 'device' | 'share' | 'radio'>;

/** Returns the state of each wireless interface before and after; for several runs, as ranges. Pure. */
export function radioRows(results: readonly RadioResult[]): RadioRow[] {
  const radios = results.flatMap((result) => {
    const { radio } = result;
    return radio ? [{ device: `${nameOf(result)}, ${radio.interface}`, radio }] : [];
  });
  return [...Map.groupBy(radios, ({ device }) => device)].flatMap(([device, ofDevice]) => {
    const before = ofDevice.map(({ radio }) => radio.before);
    const after = ofDevice.map(({ radio }) => radio.after);
    return readings.map(({ what, words }) => ({ device, what, before: words(before), after: words(after) }));
  });
}

type States = readonly (RadioState | null)[];

/** Lists distinct values. */
const each = (read: (state: RadioState) => string | null) => (states: States) =>
  [...new Set(states.flatMap((state) => (state && read(state)) ?? []))].join(' · ') || unknown;

/** Formats a range: "−52.0 dBm", or "−60.0 to −52.0 dBm". */
const range =
  (read: (state: RadioState) => number | null, unit: string, format = formatNumber) =>
  (states: States) => {
    const values = states.flatMap((state) => (state && read(state)) ?? []);
    if (values.length === 0) return unknown;
    const ends = new Set([Math.min(...values), Math.max(...values)].map((value) => format(value)));
    return [...ends].join(' to ') + unit;
  };

const readings: readonly { what: string; words: (states: States) => string }[] = [
  { what: 'Channel', words: each(channelOf) },
  { what: 'Signal', words: range(({ signalDbm }) => signalDbm, ' dBm') },
  { what: 'Transmit power', words: range(({ transmitDbm }) => transmitDbm, ' dBm') },
  { what: 'PHY rate, sending', words: range(({ transmitMbit }) => transmitMbit, ' Mbit/s') },
  { what: 'PHY rate, receiving', words: range(({ receiveMbit }) => receiveMbit, ' Mbit/s') },
  { what: 'Retries so far', words: range(({ retries }) => retries, '', formatCount) },
  { what: 'Failed so far', words: range(({ failed }) => failed, '', formatCount) },
];

/** Describes a channel: "36, 5 GHz, 80 MHz wide". */
export function channelOf(state: RadioState): string | null {
  if (state.connected === false) return 'not connected';
  const { channel, widthMhz } = state;
  const band = bandOf(state);
  const parts = [
    ...(channel === null ? [] : [String(channel)]),
    ...(band === null ? [] : [band]),
    ...(widthMhz === null ? [] : [`${widthMhz} MHz wide`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
