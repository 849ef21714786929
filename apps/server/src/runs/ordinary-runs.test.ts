import { brokerKinds, clientEngines, workloadKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  failedVerdicts,
  isAboutTheMachine,
  makeOrdinaryRuns,
  startExternalBroker,
} from './testing/ordinary-runs.ts';
import { playRun } from './testing/real-run.ts';
import { type Life, Rig } from './testing/rig.ts';

const ordinaryRuns = makeOrdinaryRuns({ warmUpMs: 400, measureMs: 1000 });

describe('an ordinary run is not flagged', { timeout: 90_000 }, () => {
  const rig = new Rig();
  let life: Life;
  let stopBroker = async (): Promise<void> => {};
  beforeAll(async () => {
    life = await rig.start({ realAgents: true });
    stopBroker = await startExternalBroker(life);
    expect(await life.runtime.whenReady(60_000)).toBe(true);
  }, 90_000);
  afterAll(async () => {
    await rig.remove();
    await stopBroker();
  }, 60_000);

  it.each(ordinaryRuns)('$name', async ({ draft }) => {
    // Whether the machine of the test is quiet is nobody's fault here; "npm run quiet" asks for that too.
    const play = async () => failedVerdicts((await playRun(life, draft)).detail, true);
    let failed = await play();
    // Two of 200 messages late are one moment of the machine; a fault of the product is there every time.
    for (let time = 0; time < 2 && failed.length > 0 && failed.every(isAboutTheMachine); time += 1)
      failed = await play();
    expect(failed.map(({ id, evidence }) => `${id}: ${evidence}`)).toEqual([]);
  });

  it('of each client, workload and broker that there is', () => {
    const levels = (id: string) => ordinaryRuns.flatMap(({ draft }) => draft.factors[id] ?? []);
    // Where there is a Python with it, paho-mqtt is played by the agent's own tests; a device without an agent has its own.
    const elsewhere = ['paho-mqtt', 'external device'];
    expect([...new Set(['native', ...elsewhere, ...levels('client')])].sort()).toEqual(
      [...clientEngines].sort(),
    );
    expect([...new Set(['mosquitto', ...levels('broker')])].sort()).toEqual([...brokerKinds].sort());
    const kinds = new Set(ordinaryRuns.map(({ draft }) => draft.workload.kind));
    expect([...kinds].sort()).toEqual([...workloadKinds].sort());
  });
});
