import * as z from 'zod';
import { wellKnownSuites } from '../catalogue/factors/cipher-suite.ts';
import { groupNames } from '../catalogue/factors/group.ts';
import { factors } from '../catalogue/factors.ts';
import { metrics } from '../catalogue/metrics.ts';
import { measure } from '../domain/bounds.ts';
import { makeTestbedView, type TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition } from '../domain/factor.ts';
import { experimentDraftSchema, workloadSchema } from '../domain/plans/experiment-draft.ts';
import {
  type WorkloadKind,
  workloadFieldList,
  workloadKinds,
  workloadRanges,
  writtenFieldsOf,
} from '../domain/plans/workload.ts';
import { limits, plausible } from './check-draft.ts';
import { fewestBeforeStopping } from './check-thresholds.ts';
import { maxLevels, wordsFor } from './written-levels.ts';
import { fold } from './written-names.ts';
import { amountOf, factorsOfUnits } from './written-workload.ts';

type Schema = Record<string, unknown>;

const draft = experimentDraftSchema.shape;
const address = z.string().optional();

/** Placeholders for definitions that several fields refer to. */
const metric = z.unknown();
const levels = z.unknown();
const exactLevels = z.unknown();
const exactCombination = z.unknown();
const references = new Map<z.core.$ZodType, Schema>([
  [metric, { $ref: '#/definitions/metric' }],
  [levels, { $ref: '#/definitions/levels' }],
  [exactLevels, { $ref: '#/definitions/exactLevels' }],
  [exactCombination, { $ref: '#/definitions/exactCombination' }],
]);

/** Fields in every plan file; an exported file contains all of them. */
const fields = z.strictObject({
  name: draft.name.describe('name of the experiment; by default the varied factors'),
  question: draft.question.describe('the question that the result answers'),
  tags: draft.tags,
  notes: draft.notes,
  testbedId: draft.testbedId.describe('id of the testbed'),
  factors: levels,
  leaveOut: z.array(levels).max(50).describe('combinations to leave out'),
  workload: z.unknown(),
  sampleHz: draft.sampleHz.describe('samples per second on every device'),
  repetitions: plausible.shape.repetitions.describe('runs of each treatment; with stopping, the maximum'),
  stopping: z
    .strictObject({
      metric,
      targetPercent: z.number().positive().max(100),
      atLeast: z.int().min(fewestBeforeStopping).max(limits.repetitions),
    })
    .nullable()
    .describe('stop early when the interval of a metric is narrow enough'),
  order: draft.order.describe('order of the treatments in each repetition'),
  seed: plausible.shape.seed.describe('seed of the random order'),
  response: metric,
  retries: plausible.shape.retries.describe('automatic retries of a failed run'),
  thresholds: thresholdsOf(levels),
});

const exported = fields.partial({ stopping: true }).extend({
  $schema: address,
  schemaVersion: draft.schemaVersion,
  name: draft.name.regex(/\S/),
  factors: exactLevels,
  leaveOut: z.array(exactCombination).max(50).optional(),
  thresholds: thresholdsOf(exactCombination).optional(),
  workload: workloadSchema.extend(
    Object.fromEntries(
      workloadFieldList.map(([id, { initial }]) => {
        const range = workloadRanges[id];
        return [id, initial === undefined ? range : range.optional()];
      }),
    ),
  ),
});

const written = fields.partial().extend({
  $schema: address,
  factors: levels,
  testbed: draft.testbedId.optional().describe('id of the testbed; by default this machine'),
  workload: z
    .union([z.enum(workloadKinds), ...workloadKinds.map(workloadOf)])
    .optional()
    .describe('what is sent, and for how long'),
});

/**
 * Makes the JSON Schema (draft 7, for editors) for plan files from the server's schemas. It refuses
 * everything that the server refuses, except for checks that depend on a testbed, combinations of levels, and
 * the range of amounts with a unit ("900 MB").
 */
export function makePlanFileSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Plan of a mqttlab experiment',
    type: 'object',
    if: { required: ['schemaVersion'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: jsonOf(exported),
    else: jsonOf(written),
    definitions: {
      metric: { enum: metrics.map(({ id }) => id) },
      levels: levelLists(),
      exactLevels: exactLists(0),
      exactCombination: { ...exactLists(1), minProperties: 1 },
      ...Object.fromEntries(factors.map((factor) => [factor.id, levelOf(factor)])),
    },
  };
}

function jsonOf(schema: z.ZodType): Schema {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, references.get(zodSchema));
    },
  });
  return json;
}

/** Returns the schema of thresholds: one limit on one side; a percentage of a baseline is above zero. */
function thresholdsOf(where: z.ZodType) {
  const limit = z.union(
    (['atMost', 'atLeast'] as const).flatMap((side) => {
      const common = { metric, where: where.optional() };
      return [
        z.strictObject({ ...common, [side]: measure, of: z.literal('value').optional() }),
        z.strictObject({ ...common, [side]: measure.positive(), of: z.literal('baseline') }),
      ];
    }),
  );
  return z.array(limit).max(20).describe('limits that determine the exit code');
}

/** Returns the schema of levels in exported files. */
function exactLists(fewest: number): Schema {
  const lists = factors.map(({ id, schema }) => [id, z.array(schema).min(fewest).max(maxLevels).optional()]);
  return jsonOf(z.strictObject(Object.fromEntries(lists)));
}

function workloadOf(kind: WorkloadKind): z.ZodType {
  const shape = writtenFieldsOf(kind).flatMap(([id, { written: short, unit, description }]) => {
    const amount = z
      .string()
      .regex(amountPattern(unit, { needsUnit: true }))
      .optional();
    const number: [string, z.ZodType] = [id, workloadRanges[id].optional().describe(description)];
    if (unit === null) return [number];
    return [[short, amount.describe(description.replace(/^ms /, 'time '))] as typeof number, number];
  });
  const literal = z.literal(kind);
  return z.strictObject({
    kind: kind === 'stream' ? literal.optional() : literal,
    ...Object.fromEntries(shape),
  });
}

/** Returns the schema of levels by factor; the key is the factor's id, or its name in any spelling. */
function levelLists(): Schema {
  const lists = factors.map(({ id, label, unit, help }): [string, string, Schema] => {
    const level = { $ref: `#/definitions/${id}` };
    const anyOf = [level, { type: 'array', items: level, minItems: 1, maxItems: maxLevels }];
    const description = `${label}${unit ? ` (${unit})` : ''}. ${help}`;
    return [id, wordPattern([fold(id), fold(label)]), { description, anyOf }];
  });
  return {
    description: 'levels by factor',
    type: 'object',
    minProperties: 1,
    properties: Object.fromEntries(lists.map(([id, , list]) => [id, list])),
    patternProperties: Object.fromEntries(lists.map(([, pattern, { anyOf }]) => [pattern, { anyOf }])),
    additionalProperties: false,
  };
}

function levelOf(factor: FactorDefinition): Schema {
  const { schema, input, unit } = factor;
  const values = factor.options(anyTestbed).map(({ value }) => value);
  const words = values
    .flatMap((value) => wordsFor(factor, value, anyTestbed))
    .filter((word) => input.kind === 'choice' || amountOf(word, unit) === null);
  const spelt = [
    ...(words.length > 0 ? [wordPattern(words)] : []),
    ...(input.kind === 'number' ? [amountPattern(unit, { needsUnit: false }).source] : []),
  ].map((pattern) => ({ type: 'string', pattern }));
  // A version "5.0" is also the number 5.
  const asNumbers = values.flatMap((value) =>
    typeof value === 'string' && !Number.isNaN(Number(value)) ? [Number(value)] : [],
  );
  return {
    anyOf: [jsonOf(schema), ...spelt, ...(asNumbers.length > 0 ? [{ enum: asNumbers }] : [])],
    examples: values,
  };
}

/** A testbed that offers every level with a fixed name. */
const anyTestbed: TestbedView = {
  ...makeTestbedView({ testbedId: '', name: '', externalBroker: null, externalDevice: null, devices: [] }),
  clients: [{ library: '', suites: [...wellKnownSuites], groups: [...groupNames], certificates: [] }],
  links: [{ name: 'lo', kind: 'loopback', address: '127.0.0.1', up: true }],
};

/**
 * Returns a pattern for any spelling of these folded words, with other characters allowed between letters and
 * digits.
 */
function wordPattern(folded: readonly string[]): string {
  const between = '[\\W_]*';
  const words = [...new Set(folded)].map((word) => [...word].map(anyCase).join(between));
  // Text with a leading sign is a number.
  return `^[^-+A-Za-z0-9]*(${words.join('|')})${between}$`;
}

function amountPattern(unit: string | null, { needsUnit }: { needsUnit: boolean }): RegExp {
  const units = Object.keys(factorsOfUnits[unit ?? ''] ?? {}).map((word) => [...word].map(anyCase).join(''));
  const named = units.length === 0 ? '' : `(${units.join('|')})${needsUnit ? '' : '?'}`;
  return new RegExp(`^\\s*\\d[\\d_,]*(\\.\\d+)?\\s*${named}\\s*$`);
}

function anyCase(letter: string): string {
  return /[a-z]/.test(letter) ? `[${letter}${letter.toUpperCase()}]` : letter;
}
