import { problemSchema } from '@mqttlab/shared/messages/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestDraft } from '../testing/experiment-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { makeRoutes } from './http-app.ts';
import type { Route } from './route.ts';
import { type Answer, type ApiRig, type Call, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
let routes: Route[];
let before: string;

beforeAll(async () => {
  rig = await startApiRig();
  playExperiment(rig);
  rig.createDraft();
  routes = makeRoutes(rig.services, rig.server.webhooks);
  before = contents();
});
afterAll(() => rig.stop());

/** Every row that a request could have written. */
function contents(): string {
  const tables = ['experiments', 'experiment_tags', 'runs', 'shares', 'tokens', 'sessions'];
  return JSON.stringify(tables.map((table) => rig.database.all(`SELECT * FROM ${table}`)));
}

/** Expects a 4xx problem document with a remedy, and no write. */
function expectRefused({ status, headers, body, text }: Answer, what: string): void {
  expect(status, `${what}: ${text.slice(0, 300)}`).toBeGreaterThanOrEqual(400);
  expect(status, `${what}: ${text.slice(0, 300)}`).toBeLessThan(500);
  expect(headers.get('content-type'), what).toMatch(/^application\/problem\+json/);
  const problem = problemSchema.parse(body);
  expect(problem.status, what).toBe(status);
  expect(problem.detail.length, what).toBeGreaterThan(5);
  expect(problem.remedy.length, what).toBeGreaterThan(5);
  const after = contents();
  expect(after === before, `${what} wrote something`).toBe(true);
}

/** The address of a route with valid parameters. */
function fitting({ path }: Route): string {
  return path
    .replace('{id}', path.startsWith('/testbeds') ? 'local' : '2')
    .replace('{action}', 'start')
    .replace('{token}', 'A'.repeat(22));
}

const send = (route: Route, path: string, how: Call = {}) =>
  rig.api(path, { method: route.method.toUpperCase(), ...how });

const badBodies: [string, Call][] = [
  ['no body', {}],
  ['empty text', { text: '' }],
  ['cut JSON', { text: '{"draft": {' }],
  ['text that is no JSON', { text: 'name: yaml' }],
  ['null', { body: null }],
  ['a number', { body: 7 }],
  ['a list', { body: [] }],
  ['a string', { text: '"x"' }],
  ['an unknown field', { body: { surprise: 1 } }],
  ['a prototype', { text: '{"__proto__": {"x": 1}, "constructor": 2}' }],
  ['deep nesting', { text: '['.repeat(50_000) }],
  ['deep objects', { text: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` }],
  ['another content type', { text: '{}', headers: { 'content-type': 'text/plain' } }],
  ['a form', { text: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['an unknown charset', { text: '{}', headers: { 'content-type': 'application/json; charset=klingon' } }],
  ['an unknown encoding', { text: '{}', headers: { 'content-encoding': 'zip' } }],
  ['a false encoding', { text: '{}', headers: { 'content-encoding': 'gzip' } }],
  ['over 1 MB', { text: JSON.stringify({ text: 'x'.repeat(1_100_000) }) }],
];

/** A body of valid form, so that only the address is wrong. */
function bodyFor({ path, method }: Route): unknown {
  return path.endsWith('preflight') || method === 'put' ? makeTestDraft() : {};
}

describe('bad input is refused with a problem document, and nothing is written', () => {
  it('in every body', async () => {
    for (const route of routes.filter(({ body }) => body !== undefined)) {
      for (const [what, how] of badBodies) {
        expectRefused(await send(route, fitting(route), how), `${route.method} ${route.path} with ${what}`);
      }
    }
  });

  it('in every path', async () => {
    const bad = [
      '0',
      '-1',
      '1.5',
      '1e3',
      'abc',
      '%20',
      '99999999999',
      "1'--",
      '%00',
      '..%2f..%2fetc',
      'null',
    ];
    for (const route of routes.filter(
      ({ params, path }) => params !== undefined && !path.startsWith('/testbeds'),
    )) {
      for (const id of bad) {
        const path = route.path.replace('{id}', id).replace('{action}', 'start').replace('{token}', id);
        expectRefused(
          await send(route, path, route.body ? { body: makeTestDraft() } : {}),
          `${route.method} ${path}`,
        );
      }
    }
    expectRefused(await rig.api('/experiments/1/actions/explode', { method: 'POST' }), 'an unknown action');
    expectRefused(await rig.api('/experiments/%E0%A4%A'), 'a cut escape');
  });

  it('in every query', async () => {
    const bad = ['surprise=1', 'limit=0', 'limit=x', 'offset=-1', 'status=odd', 'experiments=1;2'];
    const more = ['experiments=', 'runs=1,,2', 'metric=a&metric=b', 'role=king', `search=${'x'.repeat(500)}`];
    for (const route of routes.filter(({ query }) => query !== undefined)) {
      for (const query of [...bad, ...more]) {
        expectRefused(await send(route, `${route.path}?${query}`), `${route.path}?${query}`);
      }
    }
  });

  it('for things that are not there', async () => {
    for (const route of routes.filter(({ params }) => params !== undefined)) {
      const path = route.path
        .replace('{id}', '4711')
        .replace('{action}', 'start')
        .replace('{token}', 'A'.repeat(22))
        .replace('{name}', '1-publisher');
      const csv = { text: 'time,power\n', headers: { 'content-type': 'text/csv' } };
      const address = route.path.endsWith('/meter') ? `${path}?role=broker` : path;
      const json = route.body ? { body: bodyFor(route) } : {};
      const answer = await send(route, address, route.bodyType === 'text/csv' ? csv : json);
      expectRefused(answer, `${route.method} ${path}`);
      // A missing body is reported before an unknown id.
      expect(route.body === undefined ? [404] : [404, 422], path).toContain(answer.status);
    }
    expectRefused(await rig.api('/compare?experiments=4711'), 'a comparison of nothing');
    expectRefused(await rig.api('/catalogue?testbedId=moon'), 'the catalogue of nothing');
  });

  it('for addresses and methods that are not there', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v2/experiments',
      '/api/v1/nothing',
      '/api/experiments',
    ]) {
      expectRefused(await rig.call(path), path);
    }
    for (const path of new Set(routes.map((route) => route.path))) {
      const answer = await rig.api(fitting({ path } as Route), { method: 'OPTIONS' });
      expectRefused(answer, `OPTIONS ${path}`);
      expect([answer.status, answer.headers.get('allow')]).toEqual([
        405,
        expect.stringMatching(/GET|POST|PUT|DELETE/),
      ]);
    }
    expectRefused(await rig.api('/experiments', { method: 'PROPFIND' }), 'an odd method');
  });

  it('in plans that make no sense', async () => {
    const nonsense: Record<string, object> = {
      '0 runs': { repetitions: 0 },
      '10 million runs': { repetitions: 10_000_000 },
      'half a run': { repetitions: 1.5 },
      'negative size': { factors: { readingBytes: [-5] } },
      'a billion a second': { factors: { rate: [1e9] } },
      'over the limit of the broker': {
        factors: { readingBytes: [1_048_576], readingsPerMessage: [65_536] },
      },
      'an unknown factor': { factors: { colour: ['red'] } },
      'an unknown metric': { response: 'joy' },
      'too many combinations': {
        factors: {
          rate: Array.from({ length: 200 }, (_, i) => i + 1),
          readingBytes: Array.from({ length: 200 }, (_, i) => i + 1),
        },
      },
      'no time': { workload: { ...makeTestDraft().workload, measureMs: 0 } },
    };
    for (const [what, change] of Object.entries(nonsense)) {
      const text = JSON.stringify(makeTestDraft(change));
      const answer = await rig.api('/experiments/import', { method: 'POST', body: { text, start: true } });
      expectRefused(answer, what);
      expect(problemSchema.parse(answer.body).issues.length, what).toBeGreaterThan(0);
    }
  });

  it('names the field that is wrong', async () => {
    const draft = { ...makeTestDraft(), sampleHz: 7, tags: ['ok', ''] };
    const { body, status } = await rig.api('/plan/check', { method: 'POST', body: draft });
    expect(status).toBe(422);
    expect(problemSchema.parse(body).issues.map(({ field }) => field)).toEqual(['tags[1]', 'sampleHz']);
  });

  it('on a full disk: 507 with the reason, and nothing is kept', async () => {
    const pages = Number(JSON.stringify(rig.database.get('PRAGMA page_count')).match(/\d+/)?.[0]);
    rig.database.run(`PRAGMA max_page_count = ${pages}`);
    const notes = 'x'.repeat(20_000);
    const answer = await rig.api('/experiments', {
      method: 'POST',
      body: { draft: makeTestDraft({ notes }) },
    });
    rig.database.run('PRAGMA max_page_count = 1000000');
    expect(answer.status).toBe(507);
    expect(problemSchema.parse(answer.body).detail).toMatch(/disk is full.*Nothing.*stored/i);
    const after = contents();
    expect(after === before).toBe(true);
  });
});

it.each([
  ['JSON', { path: '/experiments', type: 'application/json', bytes: 1_000_001 }, /at most 1\.00\sMB/],
  [
    'a meter file',
    { path: '/runs/1/meter?role=publisher', type: 'text/csv', bytes: 32_000_001 },
    /at most 32\.0\sMB/,
  ],
])(
  'a body of %s that is too large is refused with the limit of its type',
  async (_what, { path, type, bytes }, words) => {
    const headers = { 'content-type': type };
    const refused = await rig.api(path, { method: 'POST', text: 'x'.repeat(bytes), headers });
    expectRefused(refused, path);
    expect([refused.status, refused.text]).toEqual([413, expect.stringMatching(words)]);
  },
);
