import { expect, test } from 'vitest';
import { makeEnergyLab } from '../testing/energy-lab.ts';
import { pmicText } from '../testing/pi-trees.ts';
import { parsePmic, pi5Pmic } from './pi5-pmic.ts';

test('twelve rails, joined by name; without the input voltage and the battery', () => {
  const rails = parsePmic(pmicText);
  if (!Array.isArray(rails)) throw new Error(rails.message);
  expect(rails).toHaveLength(12);
  expect(rails).toContainEqual({ name: 'VDD_CORE', volts: 0.8974594, amperes: 10.87674 });
  expect(rails.map(({ name }) => name)).not.toContain('EXT5V');
});

test('power is the sum over the rails, at the middle of the call', async () => {
  const lab = makeEnergyLab({
    runCommand: (program, args) => {
      expect([program, ...args]).toEqual(['vcgencmd', 'pmic_read_adc']);
      lab.passMs(20);
      return Promise.resolve(pmicText);
    },
  });
  const source = pi5Pmic.make(lab.environment);
  expect(await source.probe()).toEqual({ available: true, detail: '12 rails' });
  await source.start();
  const { atUs, powerW, problem } = await source.sample();
  expect(atUs).toBe(1_030_000);
  expect(powerW).toBeCloseTo(10.79989445, 8);
  expect(problem).toBeNull();
});

test.each([
  ['nothing', '', 'no rail'],
  ['an error of the shell', 'sh: vcgencmd: command not found\n', 'the line'],
  ['a current without its voltage', 'A_A current(0)=1.0A\n', 'a current without a voltage for '],
  ['a negative current', 'A_A current(0)=-1.0A\nA_V volt(1)=1.0V\n', '-1 A'],
  ['units that do not fit', 'A_A current(0)=1.0V\nA_V volt(1)=1.0V\n', 'the line'],
  ['a half line, as of a killed program', `${pmicText.slice(0, 300)}`, 'the line'],
])('%s is reported as nonsense', async (_case, text, reason) => {
  const lab = makeEnergyLab({ runCommand: () => Promise.resolve(text) });
  const sample = await pi5Pmic.make(lab.environment).sample();
  expect(sample).toMatchObject({ powerW: null, problem: { code: 'nonsense' } });
  expect(sample.problem?.message).toContain(reason);
});

test('a Raspberry Pi 4 answers that it does not have the command', async () => {
  const text = 'error=1 error_msg="Command not registered"\n';
  const lab = makeEnergyLab({ runCommand: () => Promise.resolve(text) });
  expect(await pi5Pmic.make(lab.environment).probe()).toMatchObject({
    available: false,
    problem: { code: 'not-found', message: expect.stringContaining('does not have the chip') },
  });
});
