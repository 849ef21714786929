import { brokerKinds, clientEngines } from '@mqttlab/shared/domain/plans/trial-spec';
import { type WorkloadKind, workloadKinds } from '@mqttlab/shared/domain/plans/workload';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  failedVerdicts,
  isCausedByHost,
  makeOrdinaryRuns,
  startExternalBroker,
} from './testing/ordinary-runs.ts';
import { playRun } from './testing/real-run.ts';
import { type Life, Rig } from './testing/rig.ts';

/** 200 messages a second make 800: the P99 of their lateness is based on 8 messages, not on one moment. */
const ordinaryRuns = makeOrdinaryRuns({ warmUpMs: 1000, measureMs: 4000 });

/** Metrics that a run of each kind must have, if its messages use MQTT. */
const metrics: Readonly<Record<WorkloadKind, readonly string[]>> = {
  stream: ['latency.p50', 'readingAge.p50', 'rate.messages'],
  burst: ['latency.p50', 'readingAge.p50', 'rate.messages'],
  reconnect: ['latency.mean', 'connection.setUp.p50', 'cpuPerConnection.broker'],
  handshake: ['rate.connections', 'connection.tcp.p50', 'connection.tls.p50', 'cpuPerConnection.publisher'],
  states: ['state.CON.frameBytes', 'state.SUB.bytes', 'state.PUB.bytes', 'state.DISC.bytes'],
  availability: ['availability.reached', 'availability.connect.p50', 'availability.held'],
};
const metricsOverCoap = ['exchange.p50', 'exchange.mean'];

describe('an ordinary run on an idle machine', { timeout: 90_000 }, () => {
  const rig = new Rig();
  let life: Life;
  let stopBroker = async (): Promise<void> => {};
  beforeAll(async () => {
    life = await rig.start({ realAgents: true });
    stopBroker = await startExternalBroker(life);
    expect(await life.whenReady(60_000)).toBe(true);
  }, 90_000);
  afterAll(async () => {
    await rig.remove();
    await stopBroker();
  }, 60_000);

  it.each(ordinaryRuns)('is not flagged and has its metrics: $name', async ({ draft }) => {
    const { detail } = await playRun(life, draft);
    const failed = failedVerdicts(detail);
    const byHost = failed.filter(isCausedByHost);
    for (const { id, evidence } of byHost) console.log(`Flagged because of the host, ${id}: ${evidence}`);
    const others = failed.filter((verdict) => !byHost.includes(verdict));
    expect(others.map(({ id, evidence }) => `${id}: ${evidence}`)).toEqual([]);
    const { applicationProtocol, workload } = detail.treatment.spec;
    for (const metric of applicationProtocol === 'mqtt' ? metrics[workload] : metricsOverCoap) {
      expect(detail.metrics[metric], metric).toBeGreaterThan(0);
    }
  });

  it('is tested with each client, workload and broker', () => {
    const levels = (id: string) => ordinaryRuns.flatMap(({ draft }) => draft.factors[id] ?? []);
    // The agent's tests run paho-mqtt if it is installed; external-device.test.ts runs a device without an agent.
    const elsewhere = ['paho-mqtt', 'external device'];
    expect([...new Set(['native', ...elsewhere, ...levels('client')])].sort()).toEqual(
      [...clientEngines].sort(),
    );
    expect([...new Set(['mosquitto', ...levels('broker')])].sort()).toEqual([...brokerKinds].sort());
    const kinds = new Set(ordinaryRuns.map(({ draft }) => draft.workload.kind));
    expect([...kinds].sort()).toEqual([...workloadKinds].sort());
  });
});
