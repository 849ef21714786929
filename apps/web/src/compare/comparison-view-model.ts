import {
  type Contrast,
  contrastTreatments,
  estimateTreatments,
  type TreatmentEstimate,
} from '@mqttlab/shared/analysis/contrasts';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment, Comparison } from '@mqttlab/shared/domain/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/metric';
import type { TreatmentIdentity } from '../ui/treatment.ts';
import type { CompareState } from './compare-state.ts';

/** A facet: treatments that share every level but those of the colour. */
export type ComparedGroup = { title: string; estimates: TreatmentEstimate[] };

export type ComparisonViewModel = {
  metric: MetricDefinition;
  shown: ComparedTreatment[];
  groups: ComparedGroup[];
  contrasts: Contrast[];
  baseline: ComparedTreatment | null;
  identity(treatment: ComparedTreatment): TreatmentIdentity;
  /** Valid runs used, and those there are. */
  usedRuns: number;
  allRuns: number;
};

const fallbackMetric = 'latency.p50';

/** The comparison as the address asks for it. null only when the catalogue lacks every metric. */
export function makeComparisonViewModel(
  comparison: Comparison,
  state: Pick<CompareState, 'metric' | 'baseline' | 'hidden' | 'flagged'>,
): ComparisonViewModel | null {
  const metric = findMetric(state.metric) ?? findMetric(fallbackMetric);
  if (!metric) return null;
  const shown = comparison.treatments.filter((entry) => !state.hidden.includes(entry.id));
  const baseline = shown.find((entry) => entry.id === state.baseline) ?? shown[0] ?? null;
  const choice = { metric: metric.id, flagged: state.flagged };
  const estimates = estimateTreatments(shown, choice);
  return {
    metric,
    shown,
    groups: groupEstimates(estimates, comparison),
    contrasts: contrastTreatments({ treatments: shown, baselineId: baseline?.id ?? '', ...choice }),
    baseline,
    identity: (treatment) => identityOf(treatment, comparison),
    usedRuns: estimates.reduce((sum, estimate) => sum + estimate.values.length, 0),
    allRuns: shown.reduce((sum, entry) => sum + entry.runs.length, 0),
  };
}

/** One group for each combination of row levels, and for each experiment when there are several. */
function groupEstimates(estimates: readonly TreatmentEstimate[], comparison: Comparison): ComparedGroup[] {
  const groups = new Map<string, ComparedGroup>();
  for (const estimate of estimates) {
    const title = groupTitle(estimate.treatment, comparison);
    const group = groups.get(title) ?? { title, estimates: [] };
    group.estimates.push(estimate);
    groups.set(title, group);
  }
  return [...groups.values()];
}

function groupTitle(entry: ComparedTreatment, comparison: Comparison): string {
  const { rowLabel } = entry.treatment;
  if (comparison.experiments.length < 2) return rowLabel;
  return [`E-${entry.experimentId}`, rowLabel].filter(Boolean).join(' ');
}

function identityOf(entry: ComparedTreatment, comparison: Comparison): TreatmentIdentity {
  const { mark, label, colourLabel } = entry.treatment;
  const name = comparison.experiments.length < 2 ? label : `E-${entry.experimentId} ${label}`;
  const [protocol, ...rest] = splitProtocol(colourLabel);
  const identity = { index: mark, label: name, shortLabel: rest.length > 0 ? rest.join(' ') : colourLabel };
  return rest.length > 0 && protocol ? { ...identity, detail: protocol } : identity;
}

/** "TLS 1.3 AES-256-GCM" is the cipher with the protocol as a second line. */
function splitProtocol(label: string): string[] {
  const match = /^(TLS 1\.[23]) (.+)$/.exec(label);
  return match?.[1] && match[2] ? [match[1], match[2]] : [label];
}
