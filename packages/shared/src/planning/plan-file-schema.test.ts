import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { fc } from '../testing/properties.ts';
import { completePlan } from './complete-plan.ts';
import { parsePlan } from './parse-plan.ts';
import { makePlanFileSchema } from './plan-file-schema.ts';

const testbed = makeTestbed();
const view = makeTestbedView(testbed);
const accepts = new Ajv({ strict: false }).compile(makePlanFileSchema());

/** What the server says of a plan that shall start. */
function refusalOf(plan: unknown): string[] {
  const completed = completePlan(plan, view);
  if (!completed.ok) return completed.issues.map(({ field, reason }) => `${field}: ${reason}`);
  const parsed = parsePlan(completed.draft, testbed);
  return parsed.ok ? [] : parsed.issues.map(({ field, reason }) => `${field}: ${reason}`);
}

const handwritten = {
  name: 'Gate',
  testbed: 'local',
  factors: { security: ['plain', 'tls1.3'], qos: [0, 1], readingBytes: '1 KB', rate: 100 },
  leaveOut: [{ security: ['plain'], qos: [1] }],
  workload: { kind: 'stream', warmUp: '1s', measure: '2s', window: 100, messages: 1000 },
  repetitions: 5,
  stopping: { metric: 'latency.p50', targetPercent: 5, atLeast: 5 },
  order: 'as listed',
  seed: 7,
  sampleHz: 10,
  retries: 1,
  response: 'wire.perMessage',
  thresholds: [{ metric: 'latency.p95', atMost: 20, where: { security: 'tls1.3' } }],
};
const { testbedId: _id, leaveOut: _none, ...rest } = makeDraft({ leaveOut: [] });
const complete = { ...rest, testbedId: 'local', thresholds: [{ metric: 'latency.p95', atLeast: 2 }] };

type Path = (string | number)[];

/** Every place of a document. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return [path, ...keys.flatMap((key) => pathsOf((value as Record<string, unknown>)[key], [...path, key]))];
}

function changed(
  document: unknown,
  path: Path,
  change: (parent: Record<string, unknown>, key: string) => void,
) {
  const copy = structuredClone(document) as Record<string, unknown>;
  const key = path.at(-1);
  if (key === undefined) return copy;
  const parent = path.slice(0, -1).reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], copy);
  change(parent as Record<string, unknown>, String(key));
  return copy;
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    {},
    [],
    [[]],
    { kind: 'burst' },
    'burst',
    'tls1.3',
    'TLS 1.4',
    'max',
    '10s',
  ),
  fc.constantFrom<unknown>(
    -1,
    0,
    1,
    3,
    1.5,
    1e6,
    1e9,
    1e19,
    '10',
    '-1',
    '1.5 B',
    '2 furlongs',
    'value',
    'baseline',
  ),
  fc.string({ maxLength: 8 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const names = fc.constantFrom(
  ...[
    'schemaVersion',
    'measureMs',
    'measure',
    'abusers',
    'burstOn',
    'atLeast',
    'atMost',
    'of',
    'where',
    'cipherSuite',
  ],
  ...[
    'cipher suite',
    'keepAlive',
    'tlsGroup',
    'testbedId',
    'kind',
    'qoss',
    'Security',
    'warmUp',
    'payloadCipher',
  ],
  // Names that every object has.
  ...['constructor', 'valueOf', 'toString', 'hasOwnProperty'],
);

/** What no schema can know: what a testbed is and can, and how fields go together. */
const together =
  /^testbedId: there is no testbed|combinations|^repetitions: (the maximum is|the plan has)|sessions with|cannot be combined with|a message takes|have no rate|is longer than|is listed twice/;

describe('the JSON Schema of plan files', () => {
  it('refuses what the server refuses', () => {
    let refused = 0;
    const edits = fc.record({
      base: fc.constantFrom<unknown>(handwritten, complete),
      place: fc.nat(),
      value: odd,
      edit: fc.constantFrom('set', 'remove', 'add'),
      name: fc.oneof(names, fc.string({ maxLength: 8 })),
    });
    fc.assert(
      fc.property(edits, ({ base, place, value, edit, name }) => {
        const paths = pathsOf(base).filter((path) => path.length > 0);
        const path = paths[place % paths.length] ?? [];
        const plan = changed(base, path, (parent, key) => {
          if (edit === 'set') parent[key] = value;
          else if (Array.isArray(parent)) parent.push(value as never);
          else if (edit === 'remove') delete parent[key];
          else if (name !== '__proto__') parent[name] = value;
        });
        // How much a text with a number in it is, patterns do not say.
        if (typeof value === 'string' && /^\s*\d/.test(value)) return;
        const reasons = refusalOf(plan).filter((reason) => !together.test(reason));
        if (reasons.length === 0) return;
        refused += 1;
        expect(accepts(plan), `${reasons.join('; ')} in ${JSON.stringify(plan)}`).toBe(false);
      }),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it.each([handwritten, complete, { $schema: 'plan.schema.json', ...complete }])(
    'takes what runs',
    (plan) => {
      expect(refusalOf(plan)).toEqual([]);
      expect(accepts(plan), JSON.stringify(accepts.errors)).toBe(true);
    },
  );

  it.each([
    'factors: {Security: TLS1.2, "cipher suite": aes-256-gcm, keepAlive: 1min, rate: max}\nworkload: handshake',
    'factors: {payload cipher: ascon-aead128, mqttVersion: [3.1.1, 5.0], loss: [0, 1.5], link: lo}',
    'factors: {certificate: [ecdsa p-256, rsa 2048], client: mosquitto clients}\nworkload: {kind: burst, burstOn: 500ms}',
    'factors: {qos: 1}\nthresholds: [{metric: wire.perMessage, atMost: 40, of: baseline}]',
    'factors: {qos: 1}\nworkload: {kind: availability, abuseMemory: 64 MiB, abusers: 10}',
  ])('takes levels and amounts as people write them: %s', (text) => {
    const plan = YAML.parse(text);
    expect(completePlan(plan, view)).toMatchObject({ ok: true });
    expect(accepts(plan), JSON.stringify(accepts.errors)).toBe(true);
  });

  it('matches docs/plan.schema.json: update it with "npm run reference"', () => {
    const path = new URL('../../../../docs/plan.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(makePlanFileSchema());
  });
});
