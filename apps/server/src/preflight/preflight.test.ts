import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from '../run/testing/rig.ts';

let rig: Rig;
let life: Life;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
});
afterEach(() => rig.remove());

const check = async (draft = makeTinyDraft()) => {
  const { plan } = addExperiment(life, draft);
  return (await life.devices.preflight(plan, new AbortController().signal)).checks;
};

describe('pre-flight', () => {
  it('tests each way to connect once, whatever else varies, and stores nothing', async () => {
    const draft = makeTinyDraft({ factors: { ...makeTinyDraft().factors, qos: [0, 1, 2], rate: [10, 200] } });
    const checks = await check(draft);
    const connections = checks.filter(({ id }) => id.startsWith('connect-'));
    expect(connections.map(({ label, status }) => [label, status])).toEqual([
      ['Plain: broker starts, clients connect', 'passed'],
      ['TLS 1.3, TLS_AES_256_GCM_SHA384, X25519, ECDSA P-256: broker starts, clients connect', 'passed'],
    ]);
    const kinds = rig.agents.publisher.commands.map(({ command }) => command.kind);
    expect(kinds).toEqual(['prepare-client', 'connect', 'teardown', 'prepare-client', 'connect', 'teardown']);
    await eventually('acknowledgements', () => rig.agents.publisher.acknowledged.length === 2);
    expect(life.runs.listUnsettledRuns()).toEqual([]);
  });

  it('measures the clock of a device on another machine', async () => {
    const clocks = (await check()).filter(({ id }) => id === 'clock');
    expect(clocks).toHaveLength(3);
    for (const { evidence } of clocks) expect(evidence).toMatch(/ms ± \d+\.\d{3} ms/);
    expect((await check()).find(({ id }) => id === 'idle')?.status).toBe('not applicable');
  });

  it('names a device that is offline, with a remedy, and does not try to connect', async () => {
    const { plan } = addExperiment(life);
    rig.agents.subscriber.disconnect();
    await eventually('offline', () =>
      life.devices.testbeds.findTestbed('local')?.devices.some(({ online }) => !online),
    );
    const { checks } = await life.devices.preflight(plan, new AbortController().signal);
    const failed = checks.filter(({ status }) => status === 'failed');
    expect(failed).toEqual([
      {
        id: 'agent',
        device: 'local-subscriber',
        label: 'Agent answers',
        status: 'failed',
        evidence: 'local-subscriber is not connected',
        remedy: expect.stringContaining('Check that the device is on'),
      },
    ]);
    expect(checks.some(({ id }) => id.startsWith('connect-'))).toBe(false);
  });

  it('reports why a broker does not start, and still tests the rest', async () => {
    const error = {
      code: 'broker-start',
      message: 'Mosquitto did not start: no such suite',
      remedy: 'Leave it out.',
    };
    rig.agents.broker.misconduct.set('prepare-broker', { error });
    const connections = (await check()).filter(({ id }) => id.startsWith('connect-'));
    expect(connections).toHaveLength(2);
    for (const { status, evidence, remedy } of connections) {
      expect({ status, evidence, remedy }).toEqual({
        status: 'failed',
        evidence: error.message,
        remedy: error.remedy,
      });
    }
    expect(rig.agents.publisher.commands.every(({ command }) => command.kind === 'abort')).toBe(true);
    expect(life.devices.testbeds.findTestbed('local')?.busyWith).toBeNull();
  });

  it('shows the negotiated suite instead of the requested one', async () => {
    rig.agents.subscriber.negotiatesSuite = 'TLS_AES_128_GCM_SHA256';
    const failed = (await check()).filter(({ status }) => status === 'failed');
    expect(failed.map(({ evidence }) => evidence)).toEqual([
      'Cipher suite TLS_AES_128_GCM_SHA256 instead of TLS_AES_256_GCM_SHA384',
    ]);
  });

  it('stops immediately if the request is aborted', async () => {
    rig.agents.broker.misconduct.set('prepare-broker', 'silence');
    const { plan } = addExperiment(life);
    const gone = new AbortController();
    const waiting = life.devices.preflight(plan, gone.signal);
    await eventually('a broker command', () => rig.agents.broker.commands.length > 0);
    gone.abort(new Error('the page was closed'));
    await expect(waiting).rejects.toThrow('the page was closed');
    expect(rig.agents.broker.commands.at(-1)?.command.kind).toBe('abort');
  });
});
