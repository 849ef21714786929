import { describe, expect, it } from 'vitest';
import { expectWhole, type FaultBench } from '../fixtures/fault-bench.ts';
import { makeShortDraft } from '../fixtures/testbeds-lab.ts';

const evil = ['$(touch /tmp/owned)', '`touch /tmp/owned`', "'; touch /tmp/owned; '", 'a\ntouch /tmp/owned'];

/** Shell injection attempts in device settings. */
export function testShellText({ here }: FaultBench): void {
  describe('shell text', () => {
    const refuse = (path: string, body: unknown) =>
      expect(here.server.api('POST', path, body), JSON.stringify(body)).rejects.toThrow(/: 422 /);

    it('is refused as the name of a testbed, a link, an interface or a device', async () => {
      const [testbed] = here.testbeds;
      const devices = Object.entries(testbed?.device ?? {}).map(([role, deviceId]) => ({ deviceId, role }));
      const interfaces = Object.fromEntries(devices.map(({ deviceId }) => [deviceId, 'ethernet']));
      const good = { name: 'Evil', devices, links: [{ name: 'cable', interfaces }] };
      for (const text of evil) {
        await refuse('/testbeds', { ...good, name: text });
        await refuse('/testbeds', { ...good, links: [{ name: text, interfaces }] });
        const first = devices[0]?.deviceId ?? '';
        const other = { ...interfaces, [first]: text };
        await refuse('/testbeds', { ...good, links: [{ name: 'cable', interfaces: other }] });
        await refuse('/testbeds', { ...good, devices: [{ deviceId: text, role: 'broker' }] });
      }
    });

    it('is refused as a level of a factor, and is only text as name, question, tag and note', async () => {
      const [testbed] = here.testbeds;
      if (testbed === undefined) throw new Error('there is no testbed');
      for (const text of evil) {
        for (const factor of ['link', 'security', 'broker', 'client', 'topic']) {
          const draft = makeShortDraft(testbed);
          const { id } = await here.server.api<{ id: number }>('POST', '/experiments', {
            draft: { ...draft, factors: { ...draft.factors, [factor]: [text] } },
          });
          await refuse(`/experiments/${id}/actions/start`, undefined);
        }
      }
      const [text = ''] = evil;
      const id = await here.begin(testbed, { name: text, question: text, tags: ['$(id)'], notes: text });
      expect((await expectWhole(here, id)).name).toBe(text);
    });

    it('has run nowhere', async () => {
      for (const name of here.names) {
        expect(await here.shell(name, 'find / -xdev -name owned -newer /etc/hostname')).toBe('');
      }
    });
  });
}
