import { describe, expect, it } from 'vitest';
import { expectWhole, type FaultBench } from '../fixtures/fault-bench.ts';

/** Network failures during a run. */
export function testBrokenNetworks({ here, onATestbed, expectOneRetry }: FaultBench): void {
  const lost = (name: string) => ({ code: 'agent-lost', message: expect.stringContaining(name) });

  describe.concurrent('a network that breaks in mid-run', () => {
    it('a cable that is out for longer than the heartbeat costs one run, and is taken up again', async () => {
      await onATestbed(async (testbed) => {
        const name = testbed.device.publisher;
        const factors = { link: ['cable'], qos: [1], rate: [100] };
        const id = await here.beginUntil(testbed, 'measure', { factors });
        await here.lab.setCable(name, 'ethernet', false);
        await here.api.whenOnline(name, false);
        await here.lab.setCable(name, 'ethernet', true);
        expect(await expectOneRetry(testbed, id)).toMatchObject(lost(name));
      });
    });

    it('an interface that goes down is named, and the run is carried out when it is up again', async () => {
      await onATestbed(async (testbed) => {
        const name = testbed.device.publisher;
        const address = `${here.lab.device(name).addresses.wifi}/24`;
        const id = await here.beginUntil(testbed, 'measure', { retries: 5 });
        const failed = here.live.next(
          'a failure',
          (event) => event.event === 'run' && event.experimentId === id && event.data.status === 'failed',
        );
        await here.shell(name, 'ip link set wifi down');
        await failed;
        await here.shell(name, `ip link set wifi up; ip address replace ${address} dev wifi`);
        const { runs } = await expectWhole(here, id);
        const [first, ...others] = runs.flatMap(({ failure }) => failure ?? []);
        expect(first).toMatchObject({ code: 'link-down', message: expect.stringContaining('wifi') });
        // Attempts fail until it is up again.
        expect(others.filter(({ code }) => code !== 'link-missing')).toEqual([]);
      });
    });

    it('an sshd that is killed takes the tunnel with it, and costs one run', async () => {
      await onATestbed(async (testbed) => {
        const name = testbed.device.subscriber;
        const id = await here.beginUntil(testbed, 'measure');
        await here.kill(name, /^sshd.*: pi/);
        expect(await expectOneRetry(testbed, id)).toMatchObject(lost(name));
      });
    });
  });
}
