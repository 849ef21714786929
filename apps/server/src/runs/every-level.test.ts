import { factors } from '@mqttlab/shared/catalogue/factors';
import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorValue } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { deliveriesOf, payloadBytesOf, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { loadVerdictsOf } from '@mqttlab/shared/testing/load-verdicts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

/** One level of one factor that is to be carried out. */
interface Pair {
  factor: string;
  level: FactorValue;
}

/** Runs of its own for each of the sixty: e2e/all-suites.spec.ts has them, under a capture. */
const elsewhere = ['cipherSuite'];
const mustHold = ['negotiated-as-asked', 'nothing-lost', 'payloads-authentic', 'broker-stayed-up'];
/** What a small machine carries in passing, so that nothing is lost for want of time. */
const maxDeliveriesPerSecond = 4_000;
const maxBytesPerSecond = 20e6;
const maxConnectionsPerSecond = 100;

/** Every level that the testbed offers and does not refuse by itself. */
function pairsOf(testbed: TestbedCapabilities): Pair[] {
  const view = makeTestbedView(testbed);
  return factors
    .filter(({ id }) => !elsewhere.includes(id))
    .flatMap((factor) =>
      factor
        .options(view)
        .filter(({ refusal }) => refusal === null)
        .map(({ value }) => ({ factor: factor.id, level: value })),
    );
}

function draftOf(row: readonly Pair[]): ExperimentDraft {
  const batch = Number(row.find(({ factor }) => factor === 'readingsPerMessage')?.level ?? 1);
  const olderTls = row.some(({ level }) => level === 'TLS 1.2');
  // There is no DTLS for CoAP, and sessions are abused in a workload of their own.
  const overCoap = row.some(({ level }) => String(level).startsWith('coap'));
  // There is a cloud behind a bridge only.
  const hasCloud = row.some(({ factor }) => factor === 'cloudAuthentication');
  // Keys are kept beside a capture only.
  const keepsKeys = row.some(({ factor }) => factor === 'keyLog');
  const isAbuse = row.some(({ factor }) => factor === 'abuse' || factor === 'brokerHardening');
  return makeTinyDraft({
    factors: {
      qos: [1],
      rate: [20 * batch],
      security: [overCoap ? 'plain' : 'TLS 1.3'],
      ...(keepsKeys ? { capture: ['headers'] } : {}),
      ...(hasCloud ? { topology: ['re-encrypting bridge'] } : {}),
      ...(olderTls ? { cipherSuite: ['ECDHE-ECDSA-AES128-GCM-SHA256'] } : {}),
      ...Object.fromEntries(row.map(({ factor, level }) => [factor, [level]])),
    },
    workload: makeWorkload({
      ...(isAbuse ? { kind: 'availability' as const, abusers: 10 } : {}),
      warmUpMs: 400,
      measureMs: 500,
      drainTimeoutMs: 20_000,
      window: 10,
    }),
    repetitions: 1,
    // A machine that is busy with other things may be late once.
    retries: 2,
  });
}

/** Whether the levels go together: one treatment in which every one of them applies. */
function isPossible(row: readonly Pair[], testbed: TestbedCapabilities): boolean {
  const parsed = parsePlan(draftOf(row), testbed);
  const [treatment, ...more] = parsed.ok ? parsed.plan.treatments : [];
  if (treatment === undefined || more.length > 0) return false;
  return isModest(treatment.spec) && row.every(({ factor, level }) => treatment.levels[factor] === level);
}

function isModest(spec: TrialSpec): boolean {
  const { publishers, readingsPerSecond, readingsPerMessage, client } = spec;
  // An answer to each message, where there is no subscriber.
  const reached = Math.max(1, deliveriesOf(spec)) * publishers;
  const each =
    readingsPerSecond === null ? maxDeliveriesPerSecond / 4 : readingsPerSecond / readingsPerMessage;
  const deliveries = reached * each;
  const limitMbit = spec.impairment.rateMbit;
  return (
    // The rate is a factor too: at most it is carried out by one publisher for one subscriber.
    (deliveries <= maxDeliveriesPerSecond || reached === 1) &&
    deliveries * payloadBytesOf(spec) <= maxBytesPerSecond &&
    // A limit of the link leaves room for acknowledgements and headers.
    (limitMbit === null ||
      Math.max(deliveries, publishers * each) * (payloadBytesOf(spec) + 200) * 8 <= limitMbit * 0.3e6) &&
    // Each message is a handshake.
    (!reconnects(spec) || publishers * each <= maxConnectionsPerSecond) &&
    // Each of their clients is a process.
    (client === 'native' || reached <= 20) &&
    // At least one message of each publisher falls into the measure phase.
    each >= 5
  );
}

/** Rows of levels that go together, so that each level is in one of them; greedy. */
function coverAll(testbed: TestbedCapabilities): { rows: Pair[][]; never: Pair[] } {
  const rows: Pair[][] = [];
  let open = pairsOf(testbed);
  for (;;) {
    const row: Pair[] = [];
    for (const pair of open) {
      const isTaken = row.some(({ factor }) => factor === pair.factor);
      if (!isTaken && isPossible([...row, pair], testbed)) row.push(pair);
    }
    if (row.length === 0) return { rows, never: open };
    rows.push(row);
    open = open.filter((pair) => !row.includes(pair));
  }
}

describe('every level of every factor that the built-in testbed offers', { timeout: 240_000 }, () => {
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.runtime.whenReady(60_000)).toBe(true);
  }, 90_000);
  afterAll(() => rig.remove(), 60_000);

  async function play(row: readonly Pair[]): Promise<RunDetail> {
    const { id } = addExperiment(life, draftOf(row));
    await life.runtime.conductor.act(id, 'start');
    await eventually(`experiment ${id} done`, () => life.experiments.find(id)?.status === 'done', 90_000);
    const run = life.runs.listOf(id).at(-1);
    const detail = life.runs.detail(run?.id ?? 0);
    if (detail === null) throw new Error('no run');
    return detail;
  }

  it('is carried out for real, as asked, with nothing lost', async () => {
    const testbed = life.runtime.testbeds.capabilities('local');
    if (testbed === null) throw new Error('no testbed');
    const { rows, never } = coverAll(testbed);
    expect(never, 'levels that no plan can hold').toEqual([]);
    for (const row of rows) {
      const words = row.map(({ factor, level }) => `${factor} ${level}`).join(', ');
      const detail = await play(row);
      expect(detail.failure, words).toBeNull();
      for (const { factor, level } of row) expect(detail.treatment.levels[factor], words).toBe(level);
      const verdict = (id: string) => detail.verdicts.find((entry) => entry.id === id);
      for (const id of [...mustHold, ...loadVerdictsOf(detail)]) {
        expect(verdict(id)?.status, `${id}, ${words}: ${verdict(id)?.evidence}`).not.toBe('failed');
      }
      const got =
        detail.treatment.spec.workload === 'availability' ? 'availability.reached' : 'count.received';
      expect(detail.metrics[got], words).toBeGreaterThan(0);
    }
  });
});
