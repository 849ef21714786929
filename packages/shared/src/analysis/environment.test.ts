import { expect, it } from 'vitest';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { environmentNotice, environmentRows, summariseEnvironments } from './environment.ts';

const parsed = parsePlan(makeDraft(), makeTestbed());
if (!parsed.ok) throw new Error('the tour is a plan');
const [plain, secure] = parsed.plan.treatments;
if (!plain || !secure) throw new Error('the tour has treatments');

const pi = { 'cpu.model': ['Cortex-A72'], 'device.kernel': ['6.1'], 'broker.version': ['2.0.11'] };
const on = (treatment: typeof plain, environment?: Record<string, string[]>) => ({
  treatment,
  ...(environment ? { environment } : {}),
});

it('names what differs between compared runs beside their treatments', () => {
  expect(environmentNotice([on(plain, pi), on(secure, pi)])).toBeNull();
  const upgraded = { ...pi, 'device.kernel': ['6.6'], 'broker.version': ['2.0.18'] };
  expect(environmentNotice([on(plain, pi), on(secure, upgraded)])).toBe(
    'Kernel and broker version differ between the compared runs.',
  );
  const rows = environmentRows([on(plain, pi), on(secure, upgraded)]);
  expect(rows.map(({ id, differs }) => [id, differs])).toEqual([
    ['cpu.model', false],
    ['device.kernel', true],
    ['broker.version', true],
  ]);
});

it('sees a change in the middle of an experiment', () => {
  const both = { ...pi, 'device.kernel': ['6.1', '6.6'] };
  expect(environmentNotice([on(plain, pi), on(secure, both)])).toContain('Kernel differs');
});

it('does not report the version of a broker that is varied, and nothing where nothing is known', () => {
  const emqx = { ...secure, levels: { ...secure.levels, broker: 'emqx' } };
  expect(environmentNotice([on(plain, pi), on(emqx, { ...pi, 'broker.version': ['5.8'] })])).toBeNull();
  expect(environmentNotice([on(plain), on(secure, pi)])).toBeNull();
  expect(environmentRows([on(plain), on(secure)])).toEqual([]);
});

it('summarises the distinct values of all devices', () => {
  const device = (model: string) => ({ 'cpu.model': model, 'device.kernel': null, 'agent.pid': 7 });
  expect(summariseEnvironments([device('B'), device('A'), device('B')])).toEqual({ 'cpu.model': ['A', 'B'] });
});
