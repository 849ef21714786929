import type { ComparedTreatment, RunEnvironment } from '../domain/runs/comparison.ts';
import { inSentence, startSentence } from '../format/unit.ts';
import type { ParameterRow } from './parameters.ts';
import { joinWords } from './phrase.ts';

/** Environment facts shown in a comparison, by their names in results. */
export const environmentFacts = {
  'cpu.model': 'CPU',
  'device.kernel': 'Kernel',
  'broker.version': 'Broker version',
  'broker.tlsLibrary': 'TLS library of the broker',
  'node.tlsLibrary': 'TLS library of the clients',
  'agent.version': 'Agent version',
} as const;

type Fact = keyof typeof environmentFacts;

const facts = Object.keys(environmentFacts) as Fact[];

/** Facts that differ by design if the broker is varied. */
const factsOfBroker: readonly Fact[] = ['broker.version', 'broker.tlsLibrary'];

type Compared = Pick<ComparedTreatment, 'treatment' | 'environment'>;

/** Returns the distinct values of each fact over the results of some runs. */
export function summariseEnvironments(
  environments: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[] = facts,
): RunEnvironment {
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = new Set(environments.flatMap((facts) => textOf(facts[name])));
      return values.size === 0 ? [] : [[name, [...values].sort().slice(0, 20)]];
    }),
  );
}

function textOf(fact: unknown): string[] {
  return fact === null || fact === undefined || fact === '' ? [] : [String(fact).slice(0, 300)];
}

/** Returns one row per fact with its value for each treatment. */
export function environmentRows(treatments: readonly Compared[]): ParameterRow[] {
  return facts.flatMap((id) => {
    const values = treatments.map(({ environment }) => environment?.[id]?.join(', ') ?? '–');
    if (values.every((value) => value === '–')) return [];
    const known = new Set(values.filter((value) => value !== '–'));
    return [{ id, label: environmentFacts[id], values, differs: known.size > 1 }];
  });
}

/** Names environment differences between compared runs; null if there are none. */
export function environmentNotice(treatments: readonly Compared[]): string | null {
  const brokers = new Set(treatments.map(({ treatment }) => treatment.levels.broker));
  const isBrokerVaried = brokers.size > 1;
  const differing = environmentRows(treatments).filter(
    ({ id, differs }) => differs && !(isBrokerVaried && factsOfBroker.includes(id as Fact)),
  );
  if (differing.length === 0) return null;
  const names = startSentence(joinWords(differing.map(({ label }) => inSentence(label))));
  return `${names} ${differing.length === 1 ? 'differs' : 'differ'} between the compared runs.`;
}
