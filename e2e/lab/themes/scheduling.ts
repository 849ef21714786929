import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { describe, expect, it } from 'vitest';
import { expectWhole, type FaultBench } from '../fixtures/fault-bench.ts';
import { agentProcess } from '../fixtures/testbeds-lab.ts';

interface Span {
  from: number;
  to: number;
}

/** When runs were active, in Unix ms. */
function spansOf({ runs }: ExperimentDetail): Span[] {
  return runs.map(({ startedAt, finishedAt }) => ({ from: startedAt ?? 0, to: finishedAt ?? 0 }));
}

function overlap(a: Span, b: Span): boolean {
  return a.from < b.to && b.from < a.to;
}

export function testScheduling({ here }: FaultBench): void {
  const factors = { security: ['plain', 'TLS 1.3'], link: ['air'], qos: [1], rate: [100] };

  describe('experiments on several testbeds', () => {
    it('run in parallel, on each testbed one run at a time, in the order they were queued', async () => {
      const [one, two] = here.testbeds;
      if (one === undefined || two === undefined) throw new Error('there are not two testbeds');
      const [a, b, c] = [
        await here.begin(one, { factors }),
        await here.begin(two, { factors, repetitions: 2 }),
        await here.begin(one, { factors }),
      ];
      const [first, beside, second] = [
        await expectWhole(here, a),
        await expectWhole(here, b),
        await expectWhole(here, c),
      ];
      const own = [...spansOf(first), ...spansOf(second)].sort((x, y) => x.from - y.from);
      for (const [index, { from }] of own.slice(1).entries()) {
        expect(from).toBeGreaterThanOrEqual(own[index]?.to ?? 0);
      }
      expect(Math.max(...spansOf(first).map(({ to }) => to))).toBeLessThanOrEqual(
        Math.min(...spansOf(second).map(({ from }) => from)),
      );
      expect(spansOf(beside).some((span) => own.some((other) => overlap(span, other)))).toBe(true);
    });

    it('a device that fails in mid-run fails that run only; its retry ends its block', async () => {
      const [one, two] = here.testbeds;
      if (one === undefined || two === undefined) throw new Error('there are not two testbeds');
      const beside = await here.begin(two, { factors, repetitions: 2 });
      const id = await here.beginUntil(one, 'measure', { factors, repetitions: 2, order: 'as listed' });
      await here.kill(one.device.publisher, agentProcess);
      const { runs } = await expectWhole(here, id);
      expect(runs.map((run) => [run.trialNumber, run.block, run.attempt, run.status])).toEqual([
        [1, 1, 1, 'failed'],
        [2, 1, 1, 'done'],
        [1, 1, 2, 'done'],
        [3, 2, 1, 'done'],
        [4, 2, 1, 'done'],
      ]);
      expect((await expectWhole(here, beside)).runs.map(({ status }) => status)).toEqual(
        Array(4).fill('done'),
      );
    });

    it('share no device: one that belongs to a testbed is refused for another', async () => {
      const [one, two] = here.testbeds;
      const devices = [
        { deviceId: one?.device.broker, role: 'broker' },
        { deviceId: two?.device.publisher, role: 'publisher' },
        { deviceId: two?.device.subscriber, role: 'subscriber' },
      ];
      const interfaces = Object.fromEntries(devices.map(({ deviceId }) => [deviceId, 'ethernet']));
      const request = { name: 'Mixed', devices, links: [{ name: 'cable', interfaces }] };
      await expect(here.server.api('POST', '/testbeds', request)).rejects.toThrow(/it belongs to Bed 1/);
    });
  });
}
