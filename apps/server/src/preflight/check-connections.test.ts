import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import { describe, expect, it } from 'vitest';
import { makeTestPlan } from '../testing/experiment-factory.ts';
import type { PreflightServices } from './check-devices.ts';
import { checkSecurities, findWays } from './preflight.ts';

const many = {
  factors: {
    security: ['plain', 'TLS 1.3'],
    cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
    group: ['X25519', 'P-256'],
    certificate: ['ECDSA P-256', 'RSA 2048'],
    chainLength: [1, 3],
    clientCertificate: ['none', 'mutual TLS'],
    session: ['full', 'resumed'],
    qos: [0, 1, 2],
  },
};

describe('ways to connect', () => {
  it('differ in the settings that affect a connection, and the first ones cover every setting', () => {
    const plan = makeTestPlan(many);
    const { covering, others } = findWays(plan);
    expect(plan.treatments).toHaveLength(3 * (1 + 3 * 2 ** 5));
    expect(covering.length + others.length).toBe(1 + 3 * 2 ** 5);
    expect(covering.length).toBeLessThan(12);
    const { spec } = covering[0]!;
    for (const key of Object.keys(spec) as (keyof typeof spec)[]) {
      const settings = (all: readonly { spec: typeof spec }[]) =>
        new Set(all.map((one) => JSON.stringify(one.spec[key])));
      if (key === 'qos') continue;
      expect(settings(covering), key).toEqual(settings(plan.treatments));
    }
    expect(covering.map(({ name }) => name)).toContain(
      'TLS 1.3, TLS_AES_256_GCM_SHA384, X25519, ECDSA P-256, chain of 3',
    );
  });
});

describe('the time limit of connections', () => {
  const endless = new AbortController().signal;

  async function check(secondsEach: number) {
    let atMs = 0;
    const published: number[] = [];
    // Every attempt fails immediately without an agent; the clock still advances.
    const deps = {
      agents: {
        findAgent: () => {
          atMs += secondsEach * 1000;
          return null;
        },
        listenToRun: () => () => {},
        findCapabilities: () => null,
      },
      certificates: {
        forBroker: async () => ({
          certificateChain: '',
          privateKey: '',
          authority: '',
          expiresAt: 365 * 86_400_000,
        }),
      },
      time: { nowMs: () => atMs },
    } as unknown as PreflightServices;
    const devices = neededRoles.map((role) => ({ deviceId: role, name: role, role }));
    const checks = await checkSecurities(deps, {
      plan: makeTestPlan(many),
      devices,
      signal: endless,
      showProbing: ({ done, total }) => published.push(done / total),
    });
    const tried = checks.filter(({ id }) => id.startsWith('connect-')).length;
    return { tried, published, left: checks.find(({ id }) => id === 'connections-left') };
  }

  it('is enough for all of them if they are fast, with progress reported before each', async () => {
    const { tried, published, left } = await check(0.1);
    expect(tried).toBe(97);
    expect(left).toBeUndefined();
    expect(published).toEqual([...published].sort((a, b) => a - b));
    expect(published).toHaveLength(97);
  });

  it('is used for every setting first; remaining combinations are named', async () => {
    const { tried, left } = await check(2);
    expect(tried).toBeGreaterThanOrEqual(findWays(makeTestPlan(many)).covering.length);
    expect(tried).toBeLessThan(97);
    expect(left).toMatchObject({
      status: 'not applicable',
      evidence: expect.stringContaining('each setting'),
    });
  });

  it('may end before every setting was tested, with a warning', async () => {
    const { tried, left } = await check(30);
    expect(tried).toBe(5);
    expect(left).toMatchObject({ status: 'warning', evidence: expect.stringContaining('5 of 97') });
  });
});
