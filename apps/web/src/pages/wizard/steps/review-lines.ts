import { describeThreshold } from '@mqttlab/shared/analysis/judge-thresholds';
import { factors } from '@mqttlab/shared/catalogue/factors';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';
import { experimentTitle, formatDuration } from '../../../ui/format.ts';
import { heldFactors, isVaried } from '../model/factor-layout.ts';
import { chipLabel } from '../model/level-choice.ts';
import { summarisePreflight } from '../model/preflight.ts';
import { devicesTakingPart, metricLabel, type StepId } from '../model/steps.ts';
import type { Wizard } from '../model/wizard-context.tsx';
import { describeWorkload } from '../model/workload-kinds.ts';

type ReviewInput = Pick<Wizard, 'draft' | 'testbed' | 'planning' | 'forecast' | 'preflight'>;

interface ReviewLine {
  step: StepId;
  text: string;
}

/** Returns the plan in sentences, by step. */
export function reviewLines(input: ReviewInput): ReviewLine[] {
  const { draft, testbed } = input;
  const { workload } = draft;
  return [
    {
      step: 'question',
      text: [experimentTitle(draft.name), draft.question.trim()].filter(Boolean).join(': '),
    },
    {
      step: 'testbed',
      text: `${testbed.name}: ${devicesTakingPart(testbed, draft)
        .map((device) => `${device.role} on ${device.name}`)
        .join(', ')}.`,
    },
    { step: 'factors', text: factorsText(input) },
    { step: 'workload', text: `${describeWorkload(workload)}; sampled at ${draft.sampleHz} Hz.` },
    { step: 'repetitions', text: repetitionsText(input) },
    { step: 'preflight', text: preflightText(input) },
  ];
}

/** Longer lists show only their first levels; the table of treatments shows all levels. */
const maxNamed = 12;
const firstNamed = 4;

function shorten(names: readonly string[]): string {
  if (names.length <= maxNamed) return names.join(', ');
  return `${names.slice(0, firstNamed).join(', ')} and ${names.length - firstNamed} more`;
}

function factorsText({ draft, planning }: ReviewInput): string {
  const { view, treatments, excluded } = planning;
  const levelsOf = (factor: FactorDefinition) =>
    shorten(chosenLevels(draft, factor, view).map((level) => chipLabel(factor, level, view)));
  const varied = factors.filter((factor) => isVaried(factor, draft, view));
  const held = heldFactors({ draft, view, cells: planning.cells });
  const variedText = varied.map((factor) => `${factor.label} (${levelsOf(factor)})`).join('; ');
  // Values that differ from the default are first.
  const isChanged = (factor: FactorDefinition) =>
    chosenLevels(draft, factor, view)[0] !== factor.defaultLevel(view);
  const heldText = [...held.filter(isChanged), ...held.filter((factor) => !isChanged(factor))].map(
    (factor) => {
      const [level] = chosenLevels(draft, factor, view);
      return level === undefined ? factor.label : nameAndValue(factor.label, factor.levelLabel(level, view));
    },
  );
  return [
    varied.length === 0 ? 'Nothing varies.' : `Varied: ${variedText}.`,
    `That makes ${plural(treatments, 'treatment')}${excluded > 0 ? `; ${plural(excluded, 'combination')} ${excluded === 1 ? 'is' : 'are'} impossible` : ''}.`,
    `Held constant: ${heldText.join('; ')}.`,
  ].join(' ');
}

/** Returns "Packet capture: none", or only "no keep-alive" if the value contains the name. */
function nameAndValue(name: string, value: string): string {
  return value.toLowerCase().includes(name.toLowerCase()) ? value : `${name}: ${value}`;
}

function repetitionsText({ draft, planning, forecast }: ReviewInput): string {
  const order =
    draft.order === 'random in block'
      ? `in random order within each repetition, seed ${draft.seed}`
      : 'in the order listed';
  const { estimate } = forecast;
  return [
    `${plural(draft.repetitions, 'repetition')} of ${plural(planning.treatments, 'treatment')}, ${order};`,
    `a failed trial is retried ${draft.retries === 1 ? 'once' : `${draft.retries} times`}.`,
    `Response: ${metricLabel(draft.response)}.`,
    ...(estimate
      ? [
          `${plural(estimate.runs, 'run')} of ${formatDuration(estimate.runMs)}: ${formatDuration(estimate.durationMs)},`,
          `${formatBytes(estimate.dataBytes)}.`,
        ]
      : []),
    ...(draft.thresholds?.length
      ? [`Thresholds: ${draft.thresholds.map(describeThreshold).join('; ')}.`]
      : []),
  ].join(' ');
}

function preflightText({ preflight }: ReviewInput): string {
  if (!preflight.checks)
    return 'Not run yet. You can skip it; a run that cannot work will fail and report the reason.';
  const { words } = summarisePreflight(preflight.checks);
  return preflight.isOutdated ? `${words}, but the plan has changed since then.` : `${words}.`;
}
