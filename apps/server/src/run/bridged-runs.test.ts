import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProcesses, makeOneRunDraft, playRun } from './testing/real-run.ts';
import { eventually, type Life, Rig } from './testing/rig.ts';

const rig = new Rig();
let life: Life;
beforeAll(async () => {
  life = await rig.start({ realAgents: true });
  const isOnline = () => life.devices.testbeds.findTestbed('local')?.devices.every(({ online }) => online);
  await eventually('the agents', isOnline);
});
afterAll(() => rig.remove());

const bridged: ExperimentDraft['factors'] = {
  topology: ['re-encrypting bridge'],
  security: ['plain'],
  payloadCipher: ['chacha20-poly1305'],
  mqttVersion: ['5.0'],
};

test('a trial over a bridge: five roles, both legs as planned, only tampered messages rejected', async () => {
  const waiting = life.devices.testbeds.findTestbed('local')?.devices.filter(({ standby }) => standby);
  expect(waiting?.map(({ role }) => role)).toEqual(['bridge', 'cloud-broker']);
  const { detail, verdict } = await playRun(
    life,
    makeOneRunDraft({ factors: { ...bridged, alterEvery: [5], cloudAuthentication: ['mutual TLS'] } }),
  );
  const of = (role: string) => detail.results.find((result) => result.role === role);
  expect(detail.results.map(({ role }) => role).sort()).toEqual([
    'bridge',
    'broker',
    'cloud-broker',
    'publisher',
    'subscriber',
  ]);
  const { sent = 0, altered = 0 } = of('publisher')?.counters ?? {};
  expect(sent).toBe(200);
  expect(altered).toBe(40);
  expect(of('bridge')?.bridge).toMatchObject({ rejected: 40, duplicates: 0, restarts: 0 });
  expect(of('bridge')?.counters).toMatchObject({ received: 160, acknowledged: 160, unauthentic: 40 });
  expect(of('subscriber')?.counters).toMatchObject({ received: 160, unauthentic: 0 });
  expect(of('bridge')?.negotiated?.protocol).toBe('TLSv1.3');
  // Both ends of the cloud leg presented a certificate, as planned; the edge has none.
  for (const role of ['bridge', 'subscriber']) {
    expect(of(role)?.negotiated?.clientCertificate, role).toBe('ECDSA P-256');
  }
  expect(of('bridge')?.upstream?.protocol).toBeNull();
  expect(of('subscriber')?.negotiated?.protocol).toBe('TLSv1.3');
  expect(of('publisher')?.negotiated?.protocol).toBeNull();
  expect(detail.metrics['latency.mean']).toBeGreaterThan(0);
  for (const metric of [
    'cpu.bridge',
    'cpu.cloud-broker',
    'bridge.decryption.mean',
    'bridge.encryption.mean',
    'bridge.heartbeat.local',
    'bridge.heartbeat.cloud',
  ]) {
    expect(detail.metrics[metric], metric).toBeGreaterThan(0);
  }
  expect(detail.metrics['bridge.rejected']).toBe(40);
  expect(detail.metrics['count.lost']).toBe(0);
  expect(detail.metrics['count.unauthentic']).toBe(40);
  for (const id of ['negotiated-as-asked', 'broker-stayed-up', 'nothing-lost', 'payloads-authentic']) {
    expect(verdict(id), id).toMatchObject({ status: 'passed' });
  }
  expect(verdict('payloads-authentic')?.evidence).toContain('40 altered on purpose');
  // Real agents report under their assigned roles.
  expect(life.devices.agents.countRefusedReports()).toEqual({});
});

test('if the process of the bridge is killed during a run, it is restarted and nothing is lost at QoS 1', async () => {
  const agent = life.agentPid('local-bridge') ?? 0;
  const { detail, verdict } = await playRun(
    life,
    makeOneRunDraft({ factors: bridged }, { measureMs: 2_000, drainTimeoutMs: 60_000 }),
    async () => {
      await wait(500);
      for (const pid of findProcesses(agent, 'load-worker')) process.kill(pid, 'SIGKILL');
    },
  );
  const of = (role: string) => detail.results.find((result) => result.role === role);
  expect(of('publisher')?.counters?.sent).toBe(400);
  expect(of('subscriber')?.counters?.received).toBe(400);
  expect(of('bridge')?.bridge?.restarts).toBe(1);
  expect(of('bridge')?.degraded.map(({ collector }) => collector)).toContain('bridge');
  expect(verdict('nothing-lost')).toMatchObject({ status: 'passed' });
  expect(verdict('payloads-authentic')).toMatchObject({ status: 'passed' });
});
