import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorValue } from '@mqttlab/shared/domain/factor';
import { formatFixed } from '@mqttlab/shared/format/number';
import type { FieldProblem } from '../../../ui/input/field.tsx';
import { capitalise } from '../steps.ts';
import { chipLabel } from './level-choice.ts';

export type ParsedLevel = { ok: true; value: FactorValue } | { ok: false; problem: FieldProblem };

export interface LevelInput {
  text: string;
  factor: FactorDefinition;
  chosen: readonly FactorValue[];
  view: TestbedView;
}

/** What somebody typed as a numeric level, or what is wrong with it and how to mend it. */
export function parseLevel({ text, factor, chosen, view }: LevelInput): ParsedLevel {
  const { input } = factor;
  if (input.kind !== 'number') return refuse('This factor takes no numbers.', 'Choose one of its levels.');
  const bounds = boundsWords(factor);
  const compact = text.replaceAll(/[\s\u00a0\u202f_]/g, '');
  if (compact === '') return refuse('Nothing was typed.', `Write a number ${bounds}.`);
  if (/^[+-]?\d+,\d+$/.test(compact)) {
    return refuse(
      'A comma can mean two things.',
      'Write decimals with a point and thousands without a mark.',
    );
  }
  const value = Number(compact);
  if (!Number.isFinite(value))
    return refuse(`“${text.trim()}” is not a number.`, `Write a number ${bounds}.`);
  if (input.integer && !Number.isInteger(value)) {
    return refuse(`${compact} is not a whole number.`, `Write a whole number ${bounds}.`);
  }
  if (value < input.min || value > input.max || !factor.schema.safeParse(value).success) {
    return refuse(`${compact} is out of range.`, `Write a number ${bounds}.`);
  }
  if (chosen.includes(value))
    return refuse(`${chipLabel(factor, value)} is chosen already.`, 'Write another one.');
  const refusal = factor.refuse(value, {}, view);
  return refusal ? refuse(`${capitalise(refusal.reason)}.`, refusal.remedy) : { ok: true, value };
}

/** "from 1 to 1,048,576 B" */
export function boundsWords({ input, unit }: Pick<FactorDefinition, 'input' | 'unit'>): string {
  if (input.kind !== 'number') return '';
  const figure = (value: number) => formatFixed(value, Number.isInteger(value) ? 0 : 2);
  return `from ${figure(input.min)} to ${figure(input.max)}${unit ? ` ${unit}` : ''}`;
}

function refuse(what: string, remedy: string): ParsedLevel {
  return { ok: false, problem: { what, remedy } };
}
