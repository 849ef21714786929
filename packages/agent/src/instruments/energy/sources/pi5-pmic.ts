import { reasonOf } from '@mqttlab/shared/kit/failure';
import {
  checkPower,
  type EnergyProblem,
  type EnergySourceDefinition,
  makePolledSource,
} from '../energy-source.ts';

interface PmicRail {
  name: string;
  volts: number;
  amperes: number;
}

export const pi5Pmic: EnergySourceDefinition = {
  id: 'pi5-pmic',
  label: 'Power management chip of the Raspberry Pi 5',
  quality: 'on-board',
  covers: 'the rails of the chip, without the 5 V supply of USB and HATs and without conversion losses',
  needsAddress: false,
  minIntervalMs: 200,
  model: null,
  make: ({ clock, runCommand }) => {
    let rails: PmicRail[] = [];
    const read = async (): Promise<number | EnergyProblem> => {
      let text: string;
      try {
        text = await runCommand('vcgencmd', ['pmic_read_adc']);
      } catch (error) {
        const reason = reasonOf(error).slice(0, 120);
        return { code: 'not-found', message: `vcgencmd pmic_read_adc could not be run: ${reason}` };
      }
      // Boards without the chip print: error=1 error_msg="Command not registered".
      if (text.startsWith('error=')) {
        return {
          code: 'not-found',
          message: `this board does not have the chip (${text.trim().slice(0, 80)})`,
        };
      }
      const found = parsePmic(text);
      if (!Array.isArray(found)) return found;
      rails = found;
      const powerW = rails.reduce((sum, { volts, amperes }) => sum + volts * amperes, 0);
      return checkPower(powerW, 'the power management chip');
    };
    return makePolledSource({ clock, read, describe: () => `${rails.length} rails` });
  },
};

const line = /^\s*(\w+)_([AV]) (?:current|volt)\(\d+\)=(-?\d+(?:\.\d+)?)([AV])\s*$/;

/**
 * Parses the output of `vcgencmd pmic_read_adc` on a Raspberry Pi 5: a current and a voltage for each of
 * twelve rails, matched by name. EXT5V and BATT have only a voltage and are not rails.
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
    if (voltage === undefined) return nonsense(`a current without a voltage for ${name}`);
    if (current < 0 || voltage < 0) return nonsense(`${current} A at ${voltage} V for ${name}`);
    rails.push({ name, volts: voltage, amperes: current });
  }
  return rails.length > 0 ? rails : nonsense('no rail');
}

function nonsense(what: string): EnergyProblem {
  return { code: 'nonsense', message: `vcgencmd pmic_read_adc gave ${what}` };
}
