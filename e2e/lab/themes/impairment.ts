import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { describe, expect, it } from 'vitest';
import { makeQuickDraft } from '../../fixtures/experiments.ts';
import { eventually } from '../fixtures/eventually.ts';
import type { FaultBench } from '../fixtures/fault-bench.ts';

const factors = { security: ['plain'], link: ['cable'], qos: [1], rate: [200] };
const { workload } = makeQuickDraft();

/** Impaired links between devices, applied by the kernel. */
export function testImpairment({ here, onATestbed }: FaultBench): void {
  const verdictOf = ({ verdicts }: RunDetail) => verdicts.find(({ id }) => id === 'impairment-applied');
  const metricOf = (run: RunDetail | undefined, id: string): number => run?.metrics[id] ?? Number.NaN;
  const levelOf = ({ treatmentKey }: RunDetail, factor: string) =>
    new RegExp(`${factor}=([^;]*)`).exec(treatmentKey)?.[1];

  describe('a link that is made worse', () => {
    it('loses packets between the devices, which TCP then sends again, and nothing else', async () => {
      await onATestbed(async (testbed) => {
        const { publisher } = testbed.device;
        const id = await here.begin(testbed, { factors: { ...factors, loss: [0, 20] } });
        const tables = () => here.shell(publisher, 'nft list ruleset; true');
        const rules = await eventually('a table on the publisher', tables, {
          fits: (found) => found.includes('mqttlab_'),
        });
        const runs = await here.runsOf(await here.whenDone(id));
        const broker = here.lab.device(testbed.device.broker).addresses.ethernet;
        const port = runs[0]?.results.find(({ role }) => role === 'broker')?.environment['broker.port'];
        // Every rule matches the broker's address, so none can affect connections to the server.
        const own = rules.split('\n').filter((line) => /counter name "(seen|dropped)/.test(line));
        expect(own.length).toBeGreaterThan(0);
        for (const line of own) expect(line).toMatch(new RegExp(`ip saddr ${broker} .*sport \\d+`));
        expect(port).toEqual(expect.any(Number));

        const clean = runs.find((run) => levelOf(run, 'loss') === '0');
        const lossy = runs.find((run) => levelOf(run, 'loss') === '20');
        expect(lossy && verdictOf(lossy)).toMatchObject({
          status: 'passed',
          evidence: expect.stringMatching(/requested: 20 %.*segments retransmitted/),
        });
        expect(clean && verdictOf(clean)?.status).toBe('not applicable');
        expect(metricOf(lossy, 'tcp.retransmissions')).toBeGreaterThan(10);
        expect(metricOf(lossy, 'tcp.retransmissions')).toBeGreaterThan(
          3 * metricOf(clean, 'tcp.retransmissions'),
        );
        // According to the clients' connections, not the device.
        const resent = lossy?.results.map(({ tcp }) => tcp?.connections?.retransmitted ?? 0) ?? [];
        expect(resent.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
        // The agent's connection to the server shares the link. On a busy machine a late acknowledgement can cause
        // occasional retransmissions, but not of a fifth of all segments.
        const management = await here.shell(publisher, "ss -tinHO state established '( dport != :0 )'");
        const connections = management.split('\n').filter((line) => line.includes('segs_out'));
        expect(connections.length).toBeGreaterThan(0);
        for (const line of connections) {
          const sent = Number(/segs_out:(\d+)/.exec(line)?.[1]);
          const again = Number(/retrans:\d+\/(\d+)/.exec(line)?.[1] ?? 0);
          expect(again, line).toBeLessThanOrEqual(2 + 0.03 * sent);
        }
        for (const name of Object.values(testbed.device)) await here.expectNothingLeft(name);
      });
    });

    it('holds a rate where packets leave, and is restored', async () => {
      await onATestbed(async (testbed) => {
        const id = await here.begin(testbed, {
          factors: { ...factors, readingBytes: [2000], rate: [200], rateLimit: [1] },
          workload: { ...workload, warmUpMs: 300, measureMs: 1500 },
        });
        const queues = () => here.shell(testbed.device.broker, 'tc qdisc show dev ethernet');
        const shown = await eventually('a queue on the broker', queues, {
          fits: (found) => found.includes('tbf'),
        });
        expect(shown).toMatch(/htb ([1-7][0-9a-f]{2})0: root.* default 0/);
        expect(shown).toMatch(/tbf ([1-7][0-9a-f]{2})1: parent (?:\1)0:10 rate 1Mbit/);
        const [run] = await here.runsOf(await here.whenDone(id));
        expect(run && verdictOf(run)).toMatchObject({
          status: 'passed',
          evidence: expect.stringMatching(/Mbit\/s/),
        });
        // 200 messages/s of 2 kB are 3.2 Mbit/s, so messages queue.
        expect(metricOf(run, 'latency.p50')).toBeGreaterThan(100);
        for (const name of Object.values(testbed.device)) await here.expectNothingLeft(name);
      });
    });

    it('that is removed during a run flags the run', async () => {
      await onATestbed(async (testbed) => {
        const { broker } = testbed.device;
        const id = await here.beginUntil(testbed, 'measure', { factors: { ...factors, loss: [4] } });
        await here.shell(broker, 'nft delete table inet $(nft list tables | grep -o "mqttlab_[0-9_]*")');
        const [run] = await here.runsOf(await here.whenDone(id));
        expect(run && verdictOf(run)).toMatchObject({
          status: 'failed',
          evidence: expect.stringMatching(/towards the broker: removed by another program/),
        });
        expect(run?.flagged).toBe(true);
      });
    });

    it('is refused with what the device lacks', async () => {
      const [testbed] = here.testbeds;
      const draft = {
        ...makeQuickDraft({ testbedId: testbed?.id ?? '' }),
        factors: { ...factors, delay: [50] },
      };
      const refusal = here.server.api('POST', '/plan/check', draft);
      await expect(refusal).resolves.toMatchObject({
        issues: [expect.objectContaining({ reason: expect.stringMatching(/cannot delay packets .*netem/) })],
      });
    });
  });
}
