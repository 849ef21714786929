import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  type EnergySourceDefinition,
  isAvailable,
  makeSample,
} from '../energy-source.ts';
import { type PmicRail, parsePmic } from './parse-pmic.ts';

export const pi5Pmic: EnergySourceDefinition = {
  id: 'pi5-pmic',
  label: 'Power management chip of the Raspberry Pi 5',
  quality: 'on-board',
  covers: 'the rails of the chip; not what USB and HATs take from 5 V, nor the losses of conversion',
  needsAddress: false,
  minIntervalMs: 200,
  model: null,
  make: makePi5PmicSource,
};

function makePi5PmicSource({ clock, runCommand }: EnergyEnvironment): EnergySource {
  const readRails = async (): Promise<PmicRail[] | EnergyProblem> => {
    let text: string;
    try {
      text = await runCommand('vcgencmd', ['pmic_read_adc']);
    } catch (error) {
      return { code: 'not-found', message: `vcgencmd pmic_read_adc did not run: ${reasonOf(error)}` };
    }
    // Boards without the chip: error=1 error_msg="Command not registered".
    if (text.startsWith('error=')) {
      return { code: 'not-found', message: `this board has no such chip (${text.trim().slice(0, 80)})` };
    }
    return parsePmic(text);
  };
  return {
    async probe() {
      const rails = await readRails();
      return isAvailable(Array.isArray(rails) ? `${rails.length} rails` : rails);
    },
    start: () => Promise.resolve(),
    async sample() {
      const beforeUs = clock.nowUs();
      const rails = await readRails();
      // The chip was read somewhere between the question and the answer.
      const atUs = (beforeUs + clock.nowUs()) / 2;
      if (!Array.isArray(rails)) return makeSample(atUs, rails);
      const powerW = rails.reduce((sum, { volts, amperes }) => sum + volts * amperes, 0);
      return makeSample(atUs, checkPower(powerW, 'the power management chip'));
    },
    stop: () => Promise.resolve(),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 120) : String(error);
}
