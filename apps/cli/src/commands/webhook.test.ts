import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import { type ApiRig, type Receiver, startApiRig, startReceiver } from '../testing/server.ts';

let rig: ApiRig;
let receiver: Receiver;
beforeEach(async () => {
  rig = await startApiRig();
  receiver = await startReceiver((_received, count, response) =>
    response.writeHead(count === 1 ? 200 : 500).end(),
  );
});
afterEach(async () => {
  await rig.stop();
  await receiver.stop();
});

const call = (...argv: string[]) => callCli(['webhook', ...argv], { env: { MQTTLAB_URL: rig.origin } });

describe('webhook', () => {
  it('adds, tests, lists and removes over the API', async () => {
    expect((await call('list')).said).toContain('No webhooks yet');
    const added = await call('add', receiver.url, '--events', 'run.failed, experiment.done');
    expect([added.code, added.said]).toEqual([0, expect.stringMatching(/^whsec_[\w+/]+=*$/)]);
    expect(added.noted).toContain('it is not shown again');
    expect(await call('test', '1')).toMatchObject({ code: 0, said: 'The message was accepted (200).' });
    expect(receiver.all[0]?.isGenuine(added.said)).toBe(true);
    expect(await call('test', '1')).toMatchObject({
      code: 1,
      noted: expect.stringContaining('responded with 500'),
    });
    const { said } = await call('list');
    expect(said).toMatch(/experiment.done, run.failed +on +\S+Z not accepted: it responded with 500/);
    expect((await call('remove', '1')).code).toBe(0);
    expect((await call('list', '--json')).said).toBe('[]');
  });

  it('explains wrong usage, and what the server refuses', async () => {
    for (const [argv, words] of [
      [[], 'write "webhook list"'],
      [['add'], 'name the address'],
      [['add', receiver.url, '--events', 'all'], '--events: choose from experiment.started'],
      [['test', 'x'], '"x" is not a webhook'],
    ] as const) {
      const { code, noted } = await call(...argv);
      expect([code, noted]).toEqual([2, expect.stringContaining(words)]);
    }
    const refused = await call('add', 'http://169.254.169.254/');
    expect([refused.code, refused.noted]).toEqual([
      1,
      expect.stringMatching(/link-local.*Use the machine’s network address/s),
    ]);
    expect((await call('remove', '7')).noted).toContain('There is no webhook 7');
  });
});
