import { endpoints } from '@mqttlab/shared/messages/api';
import { expect, it } from 'vitest';
import { type ApiRig, startApiRig } from '../testing/api-rig.ts';

/** All routes that are open without a login. */
const open = [
  'GET /session',
  'POST /session',
  'DELETE /session',
  'POST /accounts/first',
  'GET /shared/{token}',
  'POST /shared/{token}',
  'GET /shared/{token}/preview.png',
  'GET /shared/{token}/capture.pcap',
  'GET /shared/{token}/keys.log',
  'GET /plan.schema.json',
  'GET /tls/authority.pem',
];
/** Routes whose answers contain a password or a key. */
const withSecrets = ['GET /testbeds/{id}/external-device', 'GET /runs/{id}/keys.log'];
const ownThings = ['POST /plan/check', 'POST /plan/read', 'PUT /session/password', 'DELETE /sessions'];

/** The minimum role, derived independently of the route table. */
function leastRole(key: string): number {
  const [method = '', path = ''] = key.split(' ');
  if (open.includes(key)) return 0;
  if (/^\/(accounts|tokens|changes|webhooks|enrolments|support|tls)/.test(path)) return 3;
  if (ownThings.includes(key)) return 1;
  if (/\/(drain|preflight)$/.test(path) || key === 'GET /shares' || withSecrets.includes(key)) return 2;
  if (method === 'GET') return 1;
  return /^\/(devices|testbeds|storage|signers|authorship)/.test(path) ? 3 : 2;
}

const reading = ['GET /version', 'GET /catalogue', 'GET /openapi.json', 'GET /asyncapi.json'];
const ofExperiments = /^\/(experiments|runs|plan|tour|imports|compare|studies|study-runs|views|shares)(\/|$)/;

/** Routes that each scope opens to an administrator's token. */
const scopes: Record<string, (key: string, path: string) => boolean> = {
  experiments: (key, path) =>
    ofExperiments.test(path) || [...reading, 'GET /testbeds', 'POST /testbeds/{id}/preflight'].includes(key),
  devices: (key, path) => /^\/(devices|testbeds)(\/|$)/.test(path) || reading.includes(key),
  metrics: (key) => key === 'GET /metrics',
};

type Caller = { name: string; bearer: string | null; may: (key: string, path: string) => boolean };

function makeCallers(rig: ApiRig): Caller[] {
  const secretOf = (role: 'viewer' | 'operator' | 'administrator', scope = 'everything') =>
    rig.tokens.createToken({ name: `${role} ${scope}`, role, scope: scope as 'everything' }).secret;
  const ofRole = (role: 'viewer' | 'operator' | 'administrator', rank: number): Caller => ({
    name: role,
    bearer: secretOf(role),
    may: (key) => leastRole(key) <= rank,
  });
  const share = rig.shares.createShare({
    subject: { kind: 'experiment', experimentId: rig.createDraft() },
    title: 'shared',
    expiresAt: null,
    details: false,
  });
  return [
    { name: 'none', bearer: null, may: (key) => leastRole(key) === 0 },
    ofRole('viewer', 1),
    ofRole('operator', 2),
    ofRole('administrator', 3),
    ...Object.entries(scopes).map(([scope, isIn]) => ({
      name: `scope ${scope}`,
      bearer: secretOf('administrator', scope),
      may: (key: string, path: string) => leastRole(key) === 0 || isIn(key, path),
    })),
    { name: 'share link', bearer: share.token, may: (key) => leastRole(key) === 0 },
  ];
}

it('every route is open to exactly the permitted callers', async () => {
  let now = Date.now();
  // Wrong tokens are slowed, so each request here is sent long after the previous one.
  const rig = await startApiRig({ loginRequired: true, checkAnswers: false, now: () => (now += 120_000) });
  const wrong: string[] = [];
  const callers = makeCallers(rig);
  const keys = [...Object.keys(endpoints), 'GET /metrics'];
  try {
    for (const key of keys) {
      const [method = '', path = ''] = key.split(' ');
      const address = path
        .replace('{id}', '999999')
        .replace('{token}', 'A'.repeat(22))
        .replace('{action}', 'start')
        .replace(/\{\w+\}/, 'x');
      for (const { name, bearer, may } of callers) {
        const headers: Record<string, string> = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
        const { status } = await rig.call(key === 'GET /metrics' ? address : `/api/v1${address}`, {
          method,
          headers,
        });
        const expected = may(key, path) ? 'let in' : bearer === null || name === 'share link' ? '401' : '403';
        const got = status === 401 || status === 403 || status === 429 ? String(status) : 'let in';
        if (got !== expected) wrong.push(`${key} as ${name}: ${got} (${status}), not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(keys.length).toBeGreaterThan(90);
  } finally {
    await rig.stop();
  }
});
