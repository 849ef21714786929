import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { type Column, makeTable } from '@mqttlab/shared/figures/document/blocks';
import { type FigureContext, makeFigureContext } from '@mqttlab/shared/figures/drawing/treatments';
import { publishedBeside } from '../../published.ts';
import type { StudyInput } from '../study-input.ts';

/** The study's three configurations under its names, then those that it lacked. */
const configurations: readonly Named[] = [
  { name: 'Plain', security: 'plain', payloadCipher: 'none', published: 'plain' },
  {
    name: 'TLS 1.2, RSA key exchange',
    security: 'TLS 1.2',
    keyExchange: 'RSA',
    payloadCipher: 'none',
    published: 'TLS 1.2',
  },
  {
    name: 'ECDH + AES-128-CBC, no MAC',
    security: 'plain',
    payloadCipher: 'ecdh-p256-aes-128-cbc-as-published',
    published: 'ECDH+AES-128-CBC',
  },
  { name: 'ECDH + AES-128-GCM', security: 'plain', payloadCipher: 'ecdh-p256-aes-128-gcm', published: null },
  {
    name: 'TLS 1.2, ECDHE',
    security: 'TLS 1.2',
    keyExchange: 'ECDHE',
    payloadCipher: 'none',
    published: null,
  },
  { name: 'TLS 1.3', security: 'TLS 1.3', payloadCipher: 'none', published: null },
];

interface Named {
  name: string;
  security: string;
  keyExchange?: string;
  payloadCipher: string;
  published: string | null;
}

/** One configuration: its name in the study, and the Treatment that is it, where it was run. */
export interface Configuration {
  name: string;
  published: string | null;
  one: ComparedTreatment | undefined;
}

export function configurationsOf({ treatments }: StudyInput): Configuration[] {
  return configurations.map(({ name, security, keyExchange, payloadCipher, published }, index) => {
    const found = treatments.find(
      ({ treatment: { levels } }) =>
        levels.security === security &&
        levels.payloadCipher === payloadCipher &&
        (keyExchange === undefined || describeSuite(String(levels.cipherSuite)).keyExchange === keyExchange),
    );
    // Each has a colour of its own here: the plan gives one to all that share a TLS version.
    const one = found && { ...found, treatment: { ...found.treatment, mark: index + 1, shortLabel: name } };
    return { name, published, one };
  });
}

/** null where the study gives none, or none that may stand beside what was run. */
export function printed(
  metric: string,
  { published, one }: Pick<Configuration, 'published' | 'one'>,
): number | null {
  if (published === null || !one) return null;
  const question = { study: 'stability-aware', table: 'summary', metric, treatment: published };
  return publishedBeside(one.treatment, question)?.value ?? null;
}

/** What is drawn of the report: its treatments under the study's names. */
export interface StabilityContext extends FigureContext {
  configurations: readonly Configuration[];
}

/** null without a report, or where none of the configurations was run. */
export function contextOf(
  { report, palette }: StudyInput,
  rows: readonly Configuration[],
): StabilityContext | null {
  if (!report) return null;
  const treatments = rows.flatMap(({ name, one }) => {
    const known = report.treatments.find(({ key }) => key === one?.treatment.key);
    if (!known || !one) return [];
    const { mark } = one.treatment;
    return [{ ...known, mark, label: name, shortLabel: name, colourLabel: name, rowLabel: '' }];
  });
  if (treatments.length === 0) return null;
  return { ...makeFigureContext({ ...report, treatments }, palette), configurations: rows };
}

/** As printed, for what belongs to a treatment of the report. */
export function printedOf(
  { configurations: rows }: StabilityContext,
  metric: string,
  treatment: string,
): number | null {
  const found = rows.find(({ one }) => one?.treatment.key === treatment);
  return found ? printed(metric, found) : null;
}

/** Only what belongs to a configuration of the study. */
export function ofStudy<T extends { treatment: string }>(
  { report }: FigureContext,
  entries: readonly T[],
): T[] {
  return report.treatments.flatMap(({ key }) => entries.filter(({ treatment }) => treatment === key));
}

/** A row for each entry that belongs to a configuration, which stands before it. */
export function stabilityTable<T extends { treatment: string }>(
  context: FigureContext,
  entries: readonly T[],
  columns: readonly Column<T>[],
): DocumentTable {
  return makeTable(ofStudy(context, entries), [
    { head: 'Configuration', of: ({ treatment }) => context.name(treatment) },
    ...columns,
  ]);
}
