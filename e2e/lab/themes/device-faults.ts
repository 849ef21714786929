import { describe, expect, it } from 'vitest';
import { expectWhole, type FaultBench } from '../fixtures/fault-bench.ts';
import { agentProcess } from '../fixtures/testbeds-lab.ts';

const outbox = '/var/lib/mqttlab-agent/outbox';

/** Faulty devices. */
export function testFaultyDevices({ here, onATestbed, expectOneRetry }: FaultBench): void {
  describe.concurrent('a device that is not as it should be', () => {
    it('a disk that is full: the result comes from memory, and the run says what to do', async () => {
      await onATestbed(async (testbed) => {
        const name = testbed.device.publisher;
        const warned = here.live.next(
          'a warning',
          (event) => event.event === 'log' && event.data.text.includes('could not be written to'),
        );
        await here.shell(name, `mount -t tmpfs -o size=4k,mode=777 tmpfs ${outbox}`);
        const id = await here.begin(testbed);
        const { data } = await warned;
        expect(data).toMatchObject({
          level: 'warn',
          text: expect.stringMatching(/(No space left|ENOSPC).*Free disk space on the device/),
        });
        expect(await expectOneRetry(testbed, id)).toBeNull();
        await here.shell(name, `umount -l ${outbox}`);
      });
    });

    it('a clock that is off by an hour: latency is unaffected, and the device reports it', async () => {
      await onATestbed(async (testbed) => {
        const name = testbed.device.subscriber;
        await setClock(name, 3_600_000);
        await here.api.waitForHealthText(name, /its clock is 60 min ahead of the server's/);
        expect(['degraded', 'busy']).toContain((await here.api.find(name))?.state);
        const detail = await expectWhole(here, await here.begin(testbed));
        const latencyMs = detail.runs[0]?.metrics['latency.p50'] ?? Number.NaN;
        expect(latencyMs).toBeGreaterThan(0);
        expect(latencyMs).toBeLessThan(1000);
        expect(detail.runs[0]?.verdicts.find(({ id }) => id === 'clock-good-enough')?.status).not.toBe(
          'failed',
        );
        await setClock(name, 0);
        await here.api.waitForHealthText(name, /^((?!clock).)*$/);
      });
    });
  });

  /** Shifts the agent's wall clock, because namespaces share the clock. */
  async function setClock(name: string, aheadMs: number): Promise<void> {
    const shim = '/opt/mqttlab-agent/clock.mjs';
    const line = `export NODE_OPTIONS=--import=${shim}`;
    await here.shell(
      name,
      aheadMs === 0
        ? `rm ${shim}; sed -i '/NODE_OPTIONS/d' /opt/mqttlab-agent/supervise`
        : `echo 'const now = Date.now; Date.now = () => now() + ${aheadMs};' > ${shim}; chmod 644 ${shim}
           sed -i '2i ${line}' /opt/mqttlab-agent/supervise`,
    );
    // The shell reads its script incrementally, so it is restarted as on a device without systemd.
    await here.shell(
      name,
      'kill -TERM $(cat /opt/mqttlab-agent/supervisor.pid); while [ -e /opt/mqttlab-agent/supervisor.pid ]; do sleep 0.1; done; setsid /opt/mqttlab-agent/supervise < /dev/null > /dev/null 2>&1 &',
    );
    await here.api.whenOnline(name, false);
    await here.api.whenOnline(name);
    expect(await here.pidsOf(name, agentProcess)).toHaveLength(1);
  }
}
