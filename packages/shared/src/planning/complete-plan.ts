import { factors } from '../catalogue/factors.ts';
import { findMetric, metrics } from '../catalogue/metrics.ts';
import { makeEmptyDraft } from '../catalogue/tour.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue } from '../domain/factor.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import { type ExperimentDraft, experimentDraftSchema } from '../domain/plans/experiment-draft.ts';
import {
  checkNames,
  fold,
  isRecord,
  maxNames,
  nearestOf,
  unknownName,
  type Written,
} from './written-names.ts';
import { amountOf, readWorkload } from './written-workload.ts';

export type CompletedPlan = { ok: true; draft: ExperimentDraft } | { ok: false; issues: Issue[] };

/**
 * A plan as people write it: only `factors` is required, the rest is what the wizard starts with. Levels may be written
 * as people say them ("tls1.3", "aes-256-gcm", "1 MB"), durations with their unit ("10s"), a single level without a
 * list. What is not known is named, with the nearest known word. Exported plans are complete and come through as they
 * are.
 */
export function completePlan(input: unknown, testbed: TestbedView): CompletedPlan {
  if (!isRecord(input)) {
    return refuse([
      {
        field: 'plan',
        reason: 'is no list of fields',
        remedy: 'Write "factors:" and below it what to vary.',
      },
    ]);
  }
  const { $schema: _schema, ...written } = input;
  const complete = experimentDraftSchema.safeParse(written);
  if (complete.success) return { ok: true, draft: complete.data };
  const issues: Issue[] = [];
  const empty = makeEmptyDraft(testbed.testbedId, 1);
  const { testbed: testbedName, workload, factors: levels, response, ...rest } = written;
  checkNames(rest, { field: '', known: topNames, issues });
  const draft = {
    ...empty,
    ...rest,
    ...(testbedName === undefined ? {} : { testbedId: testbedName }),
    factors: readFactors(levels, { testbed, issues }),
    workload: { ...empty.workload, ...readWorkload(workload, issues) },
    response: readMetric(response ?? empty.response, issues),
  };
  const named =
    typeof draft.name === 'string' && draft.name !== '' ? draft : { ...draft, name: nameOf(draft) };
  if (issues.length > 0) return refuse(issues);
  const parsed = experimentDraftSchema.safeParse(named);
  return parsed.success ? { ok: true, draft: parsed.data } : refuse(issuesOf(parsed.error));
}

function refuse(issues: Issue[]): CompletedPlan {
  return { ok: false, issues };
}

const topNames = [...Object.keys(experimentDraftSchema.shape), 'testbed'];

/** As many as a draft may hold of one factor. */
const maxLevels = 200;

function readFactors(
  written: unknown,
  { testbed, issues }: { testbed: TestbedView; issues: Issue[] },
): ExperimentDraft['factors'] {
  if (!isRecord(written) || Object.keys(written).length === 0) {
    issues.push({
      field: 'factors',
      reason: 'is missing: a plan says what to vary',
      remedy: 'Write for example "factors:" and below it "security: [plain, tls1.3]".',
    });
    return {};
  }
  return Object.fromEntries(
    Object.entries(written)
      .slice(0, maxNames)
      .flatMap(([name, levels]) => {
        const factor = factors.find(
          ({ id, label }) => id === name || fold(id) === fold(name) || fold(label) === fold(name),
        );
        if (!factor) {
          issues.push(
            unknownName(
              `factors.${name}`,
              name,
              factors.map(({ id }) => id),
            ),
          );
          return [];
        }
        const list = (Array.isArray(levels) ? levels : [levels]).slice(0, maxLevels);
        return [
          [
            factor.id,
            list.flatMap((level, index) =>
              readLevel(level, { factor, index, testbed, issues, all: written }),
            ),
          ],
        ];
      }),
  );
}

interface LevelPlace {
  factor: FactorDefinition;
  index: number;
  testbed: TestbedView;
  issues: Issue[];
  all: Written;
}

/** One level, or all that a word means ("aes-256-gcm" of both TLS versions where both are varied). */
function readLevel(written: unknown, { factor, index, testbed, issues, all }: LevelPlace): FactorValue[] {
  const exact = factor.schema.safeParse(written);
  const options = factor.options(testbed);
  if (exact.success && (typeof written === 'number' || options.some(({ value }) => value === written)))
    return [exact.data];
  const number = typeof written === 'string' ? amountOf(written, factor.unit) : null;
  if (number !== null && factor.schema.safeParse(number).success) return [number];
  const wanted = fold(String(written));
  const meant = options
    .filter(({ value }) => wordsFor(factor, value, testbed).includes(wanted))
    .map(({ value }) => value);
  const fitting = meant.filter((value) => goesWith(factor, value, { testbed, all }));
  // A short word means the sound ones: no suite without forward secrecy.
  const sound = fitting.filter((value) => (factor.caution?.(value) ?? null) === null);
  if (sound.length > 0) return sound;
  if (fitting.length > 0) return fitting;
  if (meant.length > 0) return meant;
  if (exact.success) return [exact.data];
  const known = options.map(({ value }) => factor.shortLabel(value, testbed));
  const nearest = nearestOf(String(written), known);
  issues.push({
    field: `factors.${factor.id}[${index}]`,
    reason: `“${String(written)}” is no level of ${factor.label}${nearest === null ? '' : `: did you mean “${nearest}”?`}`,
    remedy: rangeOf(factor) ?? `Choose among ${known.join(', ')}.`,
  });
  return [];
}

/** What a level may be called, folded. A suite of TLS 1.2 is also called by its cipher alone. */
function wordsFor(factor: FactorDefinition, value: FactorValue, testbed: TestbedView): string[] {
  const short = factor.shortLabel(value, testbed);
  return [String(value), factor.levelLabel(value, testbed), short, short.split(' ')[0] ?? '']
    .map(fold)
    .filter((word) => word !== '');
}

/** Suites go with the versions of TLS that the plan varies. */
function goesWith(
  factor: FactorDefinition,
  value: FactorValue,
  { testbed, all }: Pick<LevelPlace, 'testbed' | 'all'>,
): boolean {
  const security = factors.find(({ id }) => id === 'security');
  if (!security || factor.id !== 'cipherSuite') return true;
  const named = Object.entries(all).find(([name]) => fold(name) === 'security')?.[1];
  if (named === undefined) return true;
  const asked = (Array.isArray(named) ? named : [named]).map((level) => fold(String(level)));
  return asked.includes(fold(factor.section?.(value) ?? '')) && factor.refuse(value, {}, testbed) === null;
}

function rangeOf({ input, unit }: FactorDefinition): string | null {
  return input.kind === 'number'
    ? `Choose a number from ${input.min} to ${input.max}${unit ? ` ${unit}` : ''}.`
    : null;
}

function readMetric(written: unknown, issues: Issue[]): string {
  const name = String(written);
  if (findMetric(name)) return name;
  const called = metrics.find(({ id, label }) => fold(id) === fold(name) || fold(label) === fold(name));
  if (called) return called.id;
  const nearest = nearestOf(
    name,
    metrics.map(({ id }) => id),
  );
  issues.push({
    field: 'response',
    reason: `there is no metric "${name}"${nearest === null ? '' : `: did you mean "${nearest}"?`}`,
    remedy: 'Choose one of docs/metrics.md, for example latency.p50, wire.perMessage or rate.messages.',
  });
  return name;
}

/** "Security × QoS": what is varied. */
function nameOf({ factors: levels }: Pick<ExperimentDraft, 'factors'>): string {
  const varied = factors.filter(({ id }) => (levels[id]?.length ?? 0) > 1).map(({ label }) => label);
  return varied.length > 0 ? varied.slice(0, 4).join(' × ') : 'One treatment';
}
