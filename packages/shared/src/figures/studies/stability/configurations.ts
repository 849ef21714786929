import { publishedNumber } from '../../../catalogue/studies/published.ts';
import type { StabilityVariable } from '../../../domain/report/report-stability.ts';
import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { type FigureContext, makeFigureContext } from '../../drawing/treatments.ts';
import type { StudyInput } from '../study-input.ts';

/** The study's three configurations under its names, then the two that it lacked. */
const configurations = [
  { name: 'Plain', security: 'plain', payloadCipher: 'none', published: 'plain' },
  { name: 'TLS 1.2', security: 'TLS 1.2', payloadCipher: 'none', published: 'TLS 1.2' },
  {
    name: 'ECDH + AES-128-CBC, no MAC',
    security: 'plain',
    payloadCipher: 'ecdh-p256-aes-128-cbc-as-published',
    published: 'ECDH+AES-128-CBC',
  },
  { name: 'ECDH + AES-128-GCM', security: 'plain', payloadCipher: 'ecdh-p256-aes-128-gcm', published: null },
  { name: 'TLS 1.3', security: 'TLS 1.3', payloadCipher: 'none', published: null },
] as const;

/** One configuration: its name in the study, and the Treatment that is it, where it was run. */
export interface Configuration {
  name: string;
  published: string | null;
  one: ComparedTreatment | undefined;
}

export function configurationsOf({ treatments }: Pick<StudyInput, 'treatments'>): Configuration[] {
  return configurations.map(({ name, security, payloadCipher, published }, index) => {
    const found = treatments.find(
      ({ treatment: { levels } }) => levels.security === security && levels.payloadCipher === payloadCipher,
    );
    // Each has a colour of its own here: the plan gives one to all that share a TLS version.
    const one = found && { ...found, treatment: { ...found.treatment, mark: index + 1, shortLabel: name } };
    return { name, published, one };
  });
}

/** null where the study gives none. */
export function printed(metric: string, treatment: string | null): number | null {
  if (treatment === null) return null;
  return publishedNumber({ study: 'stability-aware', table: 'summary', metric, treatment });
}

/** The report with the study's names for its treatments; null without one, or where none of them was run. */
export function contextOf(
  { report, palette }: StudyInput,
  rows: readonly Configuration[],
): FigureContext | null {
  if (!report) return null;
  const treatments = rows.flatMap(({ name, one }) => {
    const known = report.treatments.find(({ key }) => key === one?.treatment.key);
    if (!known || !one) return [];
    const { mark } = one.treatment;
    return [{ ...known, mark, label: name, shortLabel: name, colourLabel: name, rowLabel: '' }];
  });
  return treatments.length === 0 ? null : makeFigureContext({ ...report, treatments }, palette);
}

/** Only what belongs to a configuration of the study. */
export function ofStudy<T extends { treatment: string }>(
  { report }: FigureContext,
  entries: readonly T[],
): T[] {
  return report.treatments.flatMap(({ key }) => entries.filter(({ treatment }) => treatment === key));
}

export function findVariable(
  variables: readonly StabilityVariable[],
  id: string,
): StabilityVariable | undefined {
  return variables.find((variable) => variable.id === id);
}
