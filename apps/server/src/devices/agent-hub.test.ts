import { enrolHeaders } from '@mqttlab/shared/messages/agent';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from '../run/testing/rig.ts';
import { ScriptedAgent } from '../run/testing/scripted-agent.ts';
import { makeDeviceStore, makeEnrolmentStore } from '../store/settings/device-store.ts';
import { issueAgentToken } from './agent-tokens.ts';
import { localTestbed } from './testbeds.ts';

let rig: Rig;
let life: Life;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
});
afterEach(() => rig.remove());

const isOnline = (deviceId: string) =>
  life.devices.testbeds.findTestbed('local')?.devices.find((device) => device.deviceId === deviceId)?.online;
const logged = (words: string) =>
  eventually(`"${words}" in the log`, () =>
    life.runs.listRecentLogLines(50).some(({ line }) => line.text.includes(words)),
  );

describe('agents', () => {
  it('are known by their token only', async () => {
    for (const headers of [{}, { authorization: 'Bearer guessed' }, { authorization: 'Basic eA==' }]) {
      const socket = new WebSocket(`${life.url.replace(/^http/, 'ws')}/api/v1/agent`, { headers });
      const status = await new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      });
      expect(status).toBe(401);
    }
  });

  it('enrol as often as their token allows, simultaneously as well', async () => {
    const { secret } = makeEnrolmentStore(life.database).createEnrolment({ pool: 'load', uses: 3, hours: 1 });
    const sockets = Array.from({ length: 12 }, (_, i) => {
      const headers = { authorization: `Bearer ${secret}`, [enrolHeaders.name]: `pod-${i}` };
      return new WebSocket(`${life.url.replace(/^http/, 'ws')}/api/v1/agent`, { headers });
    });
    const statuses = await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<number>((resolve) => {
            socket.on('error', () => undefined);
            socket.on('open', () => resolve(101));
            socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
          }),
      ),
    );
    for (const socket of sockets) socket.terminate();
    expect(statuses.sort()).toEqual([101, 101, 101, ...Array.from({ length: 9 }, () => 401)]);
    expect(
      makeDeviceStore(life.database)
        .listDevices()
        .filter(({ pool }) => pool === 'load'),
    ).toHaveLength(3);
  });

  it('announce their capabilities, which stay known while they are offline', async () => {
    rig.agents.broker.disconnect();
    await eventually('offline', () => isOnline('local-broker') === false);
    const device = life.devices.testbeds.findTestbed('local')?.devices[0];
    expect(device).toMatchObject({
      deviceId: 'local-broker',
      name: 'local-broker',
      role: 'broker',
      online: false,
    });
    expect(device?.capabilities?.brokers[0]?.kind).toBe('mosquitto');
    await rig.agents.broker.reconnect();
    expect(isOnline('local-broker')).toBe(true);
  });

  it('report the health of their device; the server shows why one is degraded and when it last reported', async () => {
    const { subscriber } = rig.agents;
    const stateOf = () => life.devices.states.findDeviceStatus('local-subscriber');
    expect(stateOf()).toEqual({ state: 'online', reasons: [] });
    const unixMs = Date.now() - 3_600_000;
    subscriber.send({
      type: 'health',
      health: { unixMs, diskFreeBytes: 7e6, cpuPercent: 2, throttling: ['under-voltage'] },
    });
    await eventually('degraded', () => stateOf().state === 'degraded');
    expect(stateOf().reasons).toEqual([
      'its CPU is throttled (under-voltage)',
      'its disk is nearly full (7 MB free)',
      "its clock is 60 min behind the server's",
    ]);
    const before = Date.now();
    subscriber.disconnect();
    await eventually('offline', () => stateOf().state === 'offline');
    const { lastSeenAt } = makeDeviceStore(life.database).findDevice('local-subscriber') ?? {};
    expect(lastSeenAt).toBeGreaterThanOrEqual(before);
    await subscriber.reconnect();
    expect(stateOf()).toEqual({ state: 'online', reasons: [] });
  });

  it('use the same protocol version, or are refused with a remedy', async () => {
    const { publisher } = rig.agents;
    publisher.disconnect();
    await eventually('offline', () => isOnline('local-publisher') === false);
    publisher.protocol = 99;
    await expect(publisher.reconnect()).rejects.toThrow(/1008 the agent uses protocol 99/);
    expect(isOnline('local-publisher')).toBe(false);
    await logged('protocol 99');
  });

  const badFrames: [string, string][] = [
    ['no JSON', '{"type":'],
    ['an unknown type', '{"type":"shell","text":"rm -rf /"}'],
    ['a missing field', '{"type":"reply","id":1}'],
    ['an invalid number', '{"type":"phase","runId":"1","role":"broker","phase":"tcp","durationUs":null}'],
    ['a result without a key', '{"type":"result","runId":1,"result":null}'],
    ['a prototype', '{"__proto__":{"type":"hello"}}'],
    ['nothing', ''],
    ['a deep nest', '['.repeat(100_000)],
  ];
  it.each(badFrames)(
    'that send %s are closed with a reason, and the server continues',
    async (_what, text) => {
      const { subscriber } = rig.agents;
      const closed = subscriber.closed();
      subscriber.sendText(text);
      expect(await closed).toMatchObject({ code: 1008, reason: expect.stringMatching(/frame/) });
      await logged('local-subscriber: connection closed');
      await subscriber.reconnect();
      expect(isOnline('local-subscriber')).toBe(true);
    },
  );

  it('that send bytes, or too many of them, are closed', async () => {
    const { subscriber } = rig.agents;
    const closed = subscriber.closed();
    subscriber.sendBytes(Buffer.from([1, 2, 3]));
    expect((await closed).code).toBe(1008);
    await subscriber.reconnect();
    const tooLarge = subscriber.closed();
    subscriber.sendText('x'.repeat(65 * 1024 * 1024));
    expect((await tooLarge).code).toBe(1009);
    expect(isOnline('local-broker')).toBe(true);
  });

  it('cannot deliver a result of another role', async () => {
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await life.scheduler.act(id, 'start');
    await eventually('done', () => life.experiments.findExperiment(id)?.status === 'done');
    const [run] = life.runs.listRuns(id);
    const [result] = life.runs.listRoleResults(run?.id ?? 0);
    if (!run || !result) throw new Error('no result');
    const { publisher } = rig.agents;
    const stolen = { type: 'result' as const, runId: run.id, result: { ...result, role: 'broker' as const } };
    publisher.send({ ...stolen, key: `${run.id}-broker` });
    publisher.send({ ...stolen, key: `${run.id}-publisher` });
    await eventually('both refused', () => publisher.refused.size === 2);
    expect([...publisher.refused.values()]).toEqual([
      `local-publisher did not have the role broker in run ${run.id}`,
      `it claims to be a result of run ${run.id} in the role broker`,
    ]);
    expect(isOnline('local-publisher')).toBe(true);
  });

  it('set aside an invalid result, and stay connected', async () => {
    const { subscriber } = rig.agents;
    subscriber.sendText('{"type":"result","key":"7-subscriber","runId":7,"result":{"role":"subscriber"}}');
    await eventually('refused', () => subscriber.refused.get('7-subscriber'));
    expect(subscriber.refused.get('7-subscriber')).toMatch(/a frame is not valid: result/);
    expect(isOnline('local-subscriber')).toBe(true);
    await logged('7-subscriber from local-subscriber was refused');
  });

  it('cannot fill the log or push out lines of others', async () => {
    const { publisher, subscriber } = rig.agents;
    const line = { at: 1, level: 'warn', source: 'agent', text: 'again' } as const;
    for (let i = 0; i < 20_000; i += 1) publisher.send({ type: 'log', runId: null, line });
    subscriber.send({ type: 'log', runId: null, line: { ...line, text: 'something else' } });
    const all = () => life.runs.listRecentLogLines(20_000).map((entry) => entry.line.text);
    await eventually('that of the other', () => all().includes('something else'));
    await eventually('why', () => all().some((text) => text.startsWith('local-publisher logs more than')));
    const kept = all().filter((text) => text === 'again');
    // A burst, and then some each second: see the tests of the limit itself.
    expect(kept.length).toBeGreaterThanOrEqual(200);
    expect(kept.length).toBeLessThan(10_000);
    expect(isOnline('local-publisher')).toBe(true);
  });

  it('report the files they set aside, and deliver them', async () => {
    const { subscriber } = rig.agents;
    const { listSetAside: setAsideOf, fetchSetAside } = life.devices.agents;
    const result = { name: '7-subscriber-1', key: '7-subscriber', reason: 'unknown', refusedAt: 1, bytes: 2 };
    subscriber.send({ type: 'set-aside', results: [result] });
    await eventually('known', () => setAsideOf('local-subscriber').length === 1);
    subscriber.setAside.set(result.name, '{}');
    expect(await fetchSetAside('local-subscriber', result.name)).toBe('{}');
    expect(await fetchSetAside('local-subscriber', 'gone')).toBeNull();
    subscriber.disconnect();
    await eventually('offline', () => isOnline('local-subscriber') === false);
    expect(await fetchSetAside('local-subscriber', result.name)).toBeNull();
    expect(setAsideOf('local-subscriber')).toEqual([result]);
    // Its report after reconnecting counts.
    await subscriber.reconnect();
    expect(setAsideOf('local-subscriber')).toEqual([]);
  });

  it('deliver stored results even after a change of role', async () => {
    const { publisher } = rig.agents;
    publisher.holdsResults = true;
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await life.scheduler.act(id, 'start');
    await eventually('a result that is kept', () => publisher.kept.size === 1);
    await life.scheduler.act(id, 'cancel');
    const [run] = life.runs.listRuns(id);
    life.database.run("UPDATE devices SET role = 'subscriber' WHERE id = 'local-publisher'");
    publisher.disconnect();
    await eventually('offline', () => isOnline('local-publisher') === false);
    publisher.holdsResults = false;
    await publisher.reconnect();
    await eventually('an acknowledgement', () => publisher.kept.size === 0);
    expect(life.runs.listRoleResults(run?.id ?? 0).map(({ role }) => role)).toContain('publisher');
    expect(isOnline('local-publisher')).toBe(true);
  });

  it('that connect a second time replace the first connection', async () => {
    const device = localTestbed.devices[2];
    const token = issueAgentToken(makeDeviceStore(life.database), { ...device, testbedId: 'local' });
    const second = new ScriptedAgent('subscriber');
    const closed = rig.agents.subscriber.closed();
    await second.connect(life.url, token);
    await closed;
    expect(isOnline('local-subscriber')).toBe(true);
    second.disconnect();
    await eventually('offline', () => isOnline('local-subscriber') === false);
  });
});
