import { mean } from './summary.ts';

export interface SensitivityQuestion {
  /** Current in mA, one sample per second, starting with the handshake. */
  currentMA: ArrayLike<number>;
  handshakeS: number;
  handshakeFactors: readonly number[];
  loadFactors: readonly number[];
}

export interface SensitivityCell {
  handshakeFactor: number;
  loadFactor: number;
  mAh: number;
  /** Against both factors at 1. */
  relChange: number | null;
}

export interface Sensitivity {
  iHandshakeMA: number;
  iSteadyMA: number;
  baseMAh: number;
  grid: SensitivityCell[];
}

/**
 * Charge of the same total time if the handshake lasted `f` times as long and the steady load were `l` times
 * as large: (I_hs h f + l I_ss (T - h f)) / 3600. Null unless the series is finite and longer than the
 * handshake. Throws RangeError on a handshake that is no whole number of seconds >= 1.
 */
export function energySensitivity(question: SensitivityQuestion): Sensitivity | null {
  const { currentMA, handshakeS, handshakeFactors, loadFactors } = question;
  if (!Number.isInteger(handshakeS) || handshakeS < 1) throw new RangeError(`bad handshake: ${handshakeS} s`);
  const values = Array.from(currentMA);
  const iHandshakeMA = mean(values.slice(0, handshakeS));
  const iSteadyMA = mean(values.slice(handshakeS));
  if (iHandshakeMA === null || iSteadyMA === null) return null;
  const charge = (f: number, l: number) =>
    (iHandshakeMA * handshakeS * f + l * iSteadyMA * (values.length - handshakeS * f)) / 3600;
  const baseMAh = charge(1, 1);
  const grid = handshakeFactors.flatMap((handshakeFactor) =>
    loadFactors.map((loadFactor) => {
      const mAh = charge(handshakeFactor, loadFactor);
      return { handshakeFactor, loadFactor, mAh, relChange: baseMAh === 0 ? null : mAh / baseMAh - 1 };
    }),
  );
  return { iHandshakeMA, iSteadyMA, baseMAh, grid };
}
