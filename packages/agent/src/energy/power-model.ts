/** Power as a sum: idle, plus so much for each busy core, plus so much for each Mbit/s that passes a link. */
export interface PowerModel {
  /** The machine that the figures belong to. */
  board: string;
  source: string;
  idleW: number;
  busyCoreW: number;
  /** Sent and received together; null where the source gives no figure, which then adds nothing. */
  wattsPerMbit: Readonly<Record<LinkMedium, number | null>>;
}

export type LinkMedium = 'wifi' | 'ethernet';

/**
 * Raspberry Pi 4 Model B. 540 mA idle and 1,280 mA with all four cores busy, at 5 V. For Wi-Fi the only published
 * slope is of an older board with a USB adapter: 4.813 mW per Mbit/s in either direction.
 */
export const raspberryPi4B: PowerModel = {
  board: 'Raspberry Pi 4B',
  source:
    'Geerling, "Power Consumption Benchmarks", pidramble.com (idle 2.7 W, stress --cpu 4: 6.4 W); Wi-Fi: Kaup, ' +
    'Gottschling, Hausheer, "PowerPi", LCN 2014 (4.813 mW per Mbit/s, Raspberry Pi B); Ethernet: no figure, counted as 0',
  idleW: 2.7,
  busyCoreW: (6.4 - 2.7) / 4,
  wattsPerMbit: { wifi: 4.813e-3, ethernet: null },
};

export interface Activity {
  /** Cores that were busy on average, for example 1.3. */
  busyCores: number;
  mbitPerSecond: Readonly<Record<LinkMedium, number>>;
}

export function estimatePowerW(model: PowerModel, { busyCores, mbitPerSecond }: Activity): number {
  const { wifi, ethernet } = model.wattsPerMbit;
  return (
    model.idleW +
    model.busyCoreW * busyCores +
    (wifi ?? 0) * mbitPerSecond.wifi +
    (ethernet ?? 0) * mbitPerSecond.ethernet
  );
}
