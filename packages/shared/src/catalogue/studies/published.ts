import { cipherSuitesPublished } from './published/cipher-suites.ts';
import { hecs4mqttPublished } from './published/hecs4mqtt.ts';
import type { PublishedGroup, PublishedValue } from './published/published-group.ts';
import { rpiBrokerPublished } from './published/rpi-broker.ts';
import { stabilityAwarePublished } from './published/stability-aware.ts';

const groups: readonly PublishedGroup[] = [
  ...rpiBrokerPublished,
  ...cipherSuitesPublished,
  ...stabilityAwarePublished,
  ...hecs4mqttPublished,
];

export const publishedValues: readonly PublishedValue[] = groups.flatMap(({ values, ...rest }) =>
  Object.entries(values).map(([treatment, value]) => ({ ...rest, treatment, value })),
);

type Question = Partial<Pick<PublishedValue, 'study' | 'table' | 'metric' | 'treatment' | 'unit'>>;

/** Figures that answer a question, in the order of the study. */
export function findPublished(question: Question): PublishedValue[] {
  const wanted = Object.entries(question) as [keyof Question, string][];
  return publishedValues.filter((entry) => wanted.every(([name, value]) => entry[name] === value));
}

/** The one figure of a configuration; null where the study gives none. */
export function publishedNumber(question: Required<Omit<Question, 'unit'>>): number | null {
  return findPublished(question)[0]?.value ?? null;
}
