import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../../base/errors.ts';
import { cpuMs } from '../../testing/cpu-time.ts';
import { makeTestDraft } from '../../testing/experiment-factory.ts';
import { makePlanFile, parsePlanFile } from '../documents.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'yes',
    'null',
    '1.0',
    '0x10',
    '2026-01-01',
    '- a',
    'a: b',
    '#x',
    ' | ',
    '"',
    "'",
    '\n\n',
    '~',
  ),
);
const level = fc.oneof(
  text,
  fc.double({ noNaN: true, min: -1e18, max: 1e18 }).map((value) => value + 0),
);
const finite = fc.double({ noNaN: true, min: -1e18, max: 1e18 }).map((value) => value + 0);
const drafts = fc.record({
  name: text,
  question: text,
  notes: text,
  tags: fc.array(
    text.filter((tag) => tag.length > 0),
    { maxLength: 5 },
  ),
  factors: fc.dictionary(
    text.filter((id) => id !== '__proto__'),
    fc.array(level, { maxLength: 5 }),
    { noNullPrototype: true },
  ),
  repetitions: finite,
  seed: finite,
  retries: finite,
});

const schema = 'http://127.0.0.1/plan.schema.json';
const viewOf = () => makeTestbedView(makeTestbed());

function problemOf(source: string): { status: number; fields: string[] } {
  try {
    parsePlanFile(source, viewOf);
  } catch (error) {
    const { status, issues } = (error as ProblemError).problem;
    return { status, fields: issues.map(({ field }) => field) };
  }
  throw new Error('it was accepted');
}

describe('plan files', () => {
  it('are read back exactly as exported, in YAML and JSON', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom('yaml', 'json'), (change, format) => {
        const draft = experimentDraftSchema.parse(makeTestDraft(change));
        expect(parsePlanFile(makePlanFile(draft, format, schema), viewOf)).toEqual(draft);
      }),
      { numRuns: 300 },
    );
  });

  it('are refused with the invalid field', () => {
    const draft = makeTestDraft();
    expect(problemOf(JSON.stringify({ ...draft, schemaVersion: 2 }))).toEqual({
      status: 422,
      fields: ['schemaVersion'],
    });
    expect(problemOf(JSON.stringify({ ...draft, surprise: 1 })).status).toBe(422);
    expect(() => parsePlanFile(JSON.stringify({ ...draft, surprise: 1 }), viewOf)).toThrow(/surprise/);
    expect(problemOf(JSON.stringify({ ...draft, workload: { ...draft.workload, extra: 1 } })).fields).toEqual(
      ['workload'],
    );
    expect(problemOf('name: [').fields).toEqual(['text']);
    expect(problemOf('a: 1\n---\nb: 2').fields).toEqual(['text']);
    expect(problemOf('a: 1\na: 2').fields).toEqual(['text']);
    expect(problemOf('!!js/function "x"').status).toBe(422);
    expect(problemOf('').status).toBe(422);
    expect(problemOf('['.repeat(100_000)).status).toBe(422);
  });

  it('cannot contain bombs: nine levels of ten aliases are rejected early', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 10; i += 1) {
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(',')}]`);
    }
    const startedAt = cpuMs();
    expect(problemOf(lines.join('\n'))).toEqual({ status: 422, fields: ['text'] });
    expect(cpuMs() - startedAt).toBeLessThan(500);
  });

  it('may use a few aliases', () => {
    const source = makePlanFile(makeTestDraft(), 'yaml', schema)
      .replace(/seed: \d+/, 'seed: &n 3')
      .replace(/retries: \d+/, 'retries: *n');
    expect(parsePlanFile(source, viewOf)).toMatchObject({ seed: 3, retries: 3 });
  });

  it('may be written by hand: omitted fields take the defaults of the wizard', () => {
    const draft = parsePlanFile('factors:\n  security: [plain, tls1.3]\n  qos: [0, 1]\n', viewOf);
    expect(draft).toMatchObject({ factors: { security: ['plain', 'TLS 1.3'], qos: [0, 1] }, repetitions: 5 });
    expect(problemOf('factors: {security: plain}\nmeasureSeconds: 3').fields).toEqual(['measureSeconds']);
  });
});
