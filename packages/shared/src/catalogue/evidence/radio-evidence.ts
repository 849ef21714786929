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

const unknown = 'not known';

/** What the wireless interface of each device said before a Run and after it. Pure. */
export function radioRows(results: readonly RoleResult[]): RadioRow[] {
  return results.flatMap((result) => {
    const { radio } = result;
    if (!radio) return [];
    const device = `${nameOf(result)}, ${radio.interface}`;
    return readings.map(({ what, read }) => {
      const after = radio.after === null ? null : read(radio.after);
      return { device, what, before: read(radio.before) ?? unknown, after: after ?? unknown };
    });
  });
}

const withUnit = (value: number | null, unit: string) =>
  value === null ? null : `${formatNumber(value)} ${unit}`;

const readings: readonly { what: string; read: (state: RadioState) => string | null }[] = [
  { what: 'Channel', read: channelOf },
  { what: 'Signal', read: ({ signalDbm }) => withUnit(signalDbm, 'dBm') },
  { what: 'Transmit power', read: ({ transmitDbm }) => withUnit(transmitDbm, 'dBm') },
  { what: 'PHY rate, sending', read: ({ transmitMbit }) => withUnit(transmitMbit, 'Mbit/s') },
  { what: 'PHY rate, receiving', read: ({ receiveMbit }) => withUnit(receiveMbit, 'Mbit/s') },
  { what: 'Retries so far', read: ({ retries }) => (retries === null ? null : formatCount(retries)) },
  { what: 'Failed so far', read: ({ failed }) => (failed === null ? null : formatCount(failed)) },
];

/** "36, 5 GHz, 80 MHz wide" */
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
