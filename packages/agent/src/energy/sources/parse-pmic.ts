import type { EnergyProblem } from '../energy-source.ts';

export interface PmicRail {
  name: string;
  volts: number;
  amperes: number;
}

const line = /^\s*(\w+)_([AV]) (?:current|volt)\(\d+\)=(-?\d+(?:\.\d+)?)([AV])\s*$/;

/**
 * What `vcgencmd pmic_read_adc` prints on a Raspberry Pi 5: a current and a voltage for each of twelve rails, joined
 * by name. EXT5V and BATT have a voltage only and are no rails.
 */
export function parsePmic(text: string): PmicRail[] | EnergyProblem {
  const volts = new Map<string, number>();
  const amperes = new Map<string, number>();
  for (const row of text.split('\n').filter((candidate) => candidate.trim() !== '')) {
    const [, name, kind, digits, unit] = line.exec(row) ?? [];
    if (name === undefined || kind !== unit) return nonsense(`the line "${row.trim().slice(0, 60)}"`);
    (kind === 'V' ? volts : amperes).set(name, Number(digits));
  }
  const rails: PmicRail[] = [];
  for (const [name, current] of amperes) {
    const voltage = volts.get(name);
    if (voltage === undefined) return nonsense(`a current of ${name} without a voltage`);
    if (current < 0 || voltage < 0) return nonsense(`${current} A at ${voltage} V for ${name}`);
    rails.push({ name, volts: voltage, amperes: current });
  }
  return rails.length > 0 ? rails : nonsense('no rail');
}

function nonsense(what: string): EnergyProblem {
  return { code: 'nonsense', message: `vcgencmd pmic_read_adc gave ${what}` };
}
