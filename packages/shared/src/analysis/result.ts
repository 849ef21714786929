import type { MetricDefinition } from '../domain/runs/verdict.ts';
import {
  type Contrast,
  type ContrastQuestion,
  contrastTreatments,
  estimateTreatments,
  type TreatmentEstimate,
} from './contrasts.ts';
import { type Finding, findingsOf, leadOf, type Names, plannedNames, reasonOf } from './findings.ts';
import { phraseOf } from './phrase.ts';

/** The result for one metric, used by every page, file, command and message. */
export interface Result {
  metric: MetricDefinition;
  estimates: TreatmentEstimate[];
  /** Every treatment compared with its baseline; one family for Holm's method. */
  contrasts: Contrast[];
  /** One sentence per colour, clearest first. */
  findings: Finding[];
  lead: Lead | null;
}

/** The leading contrast in a few words. */
export interface Lead {
  contrast: Contrast;
  /** For example "ChaCha20 against plain at QoS 0". */
  who: string;
  /** For example "+4.1 % [2.9, 5.3]" or "no clear difference (+4 % [−3, 12])", or why there is no value. */
  figure: string;
  /** Headline of the finding. */
  sentence: string;
}

export interface ResultQuestion extends ContrastQuestion {
  /** Display names; by default, the names in the plan. */
  names?: Names;
}

export function resultOf(question: ResultQuestion): Result {
  const { metric, treatments, flagged, names = plannedNames(treatments) } = question;
  const contrasts = contrastTreatments(question);
  const findings = findingsOf(metric, contrasts, names);
  return {
    metric,
    estimates: estimateTreatments(treatments, { metric, flagged }),
    contrasts,
    findings,
    lead: leadFinding(metric, findings, names),
  };
}

function leadFinding(metric: MetricDefinition, findings: readonly Finding[], names: Names): Lead | null {
  const [first] = findings;
  const contrast = first && leadOf(first.contrasts);
  if (!first || !contrast) return null;
  const { treatment, baseline } = contrast;
  const [name, other] = [treatment, baseline].map(names.colourOf) as [string, string];
  const row = names.rowOf(treatment);
  const who =
    name === other
      ? `${treatment.treatment.shortLabel} against ${baseline.treatment.shortLabel}`
      : `${name} against ${other}${row === '' ? '' : ` at ${row}`}`;
  return { contrast, who, figure: leadFigure(contrast, metric), sentence: first.headline };
}

const withoutFigure: Partial<Record<Contrast['outcome'], string>> = {
  same: 'the same in every run',
  'not comparable': 'not compared',
};

/** Formats a contrast ("+4.1 % [2.9, 5.3]"), or returns the reason why it has no interval. */
export function figureOf(contrast: Contrast, metric: MetricDefinition): string {
  if (contrast.outcome === 'not measured') return reasonOf(contrast);
  return withoutFigure[contrast.outcome] ?? phraseOf(metric, [contrast]).signed(contrast);
}

/** Formats a contrast for use without its sentence, with no stronger claim than the sentence. */
function leadFigure(contrast: Contrast, metric: MetricDefinition): string {
  const figure = figureOf(contrast, metric);
  const { outcome, runs } = contrast;
  if (outcome === 'open' || outcome === 'leaning') return `no clear difference (${figure})`;
  return outcome === 'few' ? `${figure} (n = ${runs}, no interval)` : figure;
}

/** True if the contrast shows a difference: exact, or resolved with the Holm-adjusted p-value. */
export function isClear({ outcome }: Pick<Contrast, 'outcome'>): boolean {
  return outcome === 'resolved' || outcome === 'exact';
}

/** Summarises a contrast in a few words, never stronger than its sentence: "higher", "no clear difference". */
export function outcomeWords(contrast: Pick<Contrast, 'outcome' | 'value' | 'scale'>): string {
  const { outcome, value, scale } = contrast;
  if (isClear(contrast)) return (value ?? 0) > (scale === 'ratio' ? 1 : 0) ? 'higher' : 'lower';
  if (outcome === 'open' || outcome === 'leaning') return 'no clear difference';
  if (outcome === 'few') return 'too few runs';
  return withoutFigure[outcome] ?? outcome;
}

/** Describes how a metric is estimated: "geometric mean of runs, 95 % t interval on the log scale". */
export function methodOf({ quantity }: Pick<MetricDefinition, 'quantity'>): string {
  return quantity === 'positive'
    ? 'geometric mean of runs, 95 % t interval on the log scale'
    : 'mean of runs, 95 % t interval';
}
