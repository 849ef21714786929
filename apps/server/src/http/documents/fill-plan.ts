import { factors } from '@mqttlab/shared/catalogue/factors';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorValue } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { workloadKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { writeWorkload } from '@mqttlab/shared/planning/written-workload';
import * as YAML from 'yaml';
import { schemaLine } from './plan-file.ts';

interface Filling {
  /** What it would become; empty where it cannot start. */
  treatments: readonly Treatment[];
  testbed: TestbedView;
  /** Address of the JSON Schema. */
  schema: string;
}

/**
 * A plan as one would write it by hand, with everything it leaves out: what each field is, which levels there are, and
 * what is held. It reads back as the same plan.
 */
export function fillPlan(draft: ExperimentDraft, { treatments, testbed, schema }: Filling): string {
  const { name, question, tags, notes, testbedId, leaveOut, stopping, thresholds } = draft;
  const { sampleHz, repetitions, order, seed, response, retries } = draft;
  const isHeld = ({ id }: FactorDefinition) => treatments.some(({ levels }) => (levels[id] ?? null) !== null);
  return [
    schemaLine(schema).trimEnd(),
    ...field('', { name, question, tags, notes }),
    ...field('Where it runs.', { testbed: testbedId }),
    '',
    '# What to vary: every combination of levels is a treatment. Remove the # to vary what is held.',
    'factors:',
    ...factors
      .filter((factor) => draft.factors[factor.id] !== undefined || isHeld(factor))
      .flatMap((factor) => levelLines(factor, draft.factors[factor.id], testbed)),
    ...(leaveOut ? field('Combinations that are not wanted.', { leaveOut }) : []),
    '',
    `# What is sent: ${workloadKinds.join(', ')}.`,
    ...field('', { workload: writeWorkload(draft.workload) }),
    ...field('Samples a second of every device: 1 or 10.', { sampleHz }),
    '',
    ...field('Runs of each treatment; five are a fair start, three the fewest with an interval.', {
      repetitions,
    }),
    ...field('End early once an interval is narrow: { metric: latency.p50, targetPercent: 5, atLeast: 5 }.', {
      stopping,
    }),
    ...field('Order of the treatments in each repetition ("as listed"), and its seed.', { order, seed }),
    ...field('The metric that is asked about: see docs/reference/metrics.md.', { response }),
    ...field('Automatic retries of a failed run.', { retries }),
    ...field(
      'Limits that decide over the exit code: - { metric: latency.p95, atMost: 20 }, or of: baseline in percent.',
      { thresholds: thresholds ?? [] },
    ),
    '',
  ].join('\n');
}

function field(comment: string, values: Record<string, unknown>): string[] {
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${inOneLine(value)}`);
  return [...(comment === '' ? [] : [`# ${comment}`]), ...lines];
}

/** Of a long list. */
const shownLevels = 12;

/** One that is chosen, or as a comment one that is held though it could be varied. */
function levelLines(
  factor: FactorDefinition,
  chosen: readonly FactorValue[] | undefined,
  testbed: TestbedView,
): string[] {
  const { id, label, help, unit, input } = factor;
  const range = input.kind === 'number' ? `${input.min} to ${input.max}${unit ? ` ${unit}` : ''}; ` : '';
  const options = factor.options(testbed).flatMap(({ value, refusal }) => (refusal === null ? value : []));
  const sound = options.filter((value) => (factor.caution?.(value) ?? null) === null).slice(0, shownLevels);
  const more = options.length > sound.length ? `, and ${options.length - sound.length} more` : '';
  const known = sound.join(', ') + more;
  const levels = inOneLine(chosen ?? [factor.defaultLevel(testbed)]);
  return [
    `  # ${label}: ${help}`,
    `  # Levels: ${range}${known || 'none that this testbed can do'}`,
    `  ${chosen === undefined ? '# ' : ''}${id}: ${levels}`,
  ];
}

function inOneLine(value: unknown): string {
  return YAML.stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}
