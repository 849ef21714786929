import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Capture } from '../fixtures/capture.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { makeCommandLine } from './fixtures/command-line.ts';
import { makeDeviceApi } from './fixtures/device-api.ts';
import { eventually } from './fixtures/eventually.ts';
import { labPaths } from './lab-paths.ts';
import { tryProgram } from './run-program.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('runs');
const names = ['pi-1', 'pi-2', 'pi-3'];
const server = new TestServer();
let lab: VirtualLab;
const api = makeDeviceApi(
  () => server,
  () => lab,
);

beforeAll(async () => {
  await VirtualLab.find(paths)?.remove();
  lab = await VirtualLab.start(paths, { devices: 3, plain: false, onStep: () => undefined });
  // Reachable from the devices, so their agents connect directly.
  server.token = randomBytes(16).toString('hex');
  const { serverAddress } = lab.inventory();
  await server.start({ HOST: serverAddress, MQTTLAB_ADMIN_TOKEN: server.token });
});

afterAll(async () => {
  await server.remove();
  await lab?.remove();
});

const links = ['ethernet', 'wifi'].map((name) => ({
  name: name === 'wifi' ? 'air' : 'cable',
  interfaces: Object.fromEntries(names.map((device) => [device, name])),
}));

/** Bytes that a device has sent into each network, as the bridge counts them. */
async function carriedBy(number: number): Promise<Record<'ethernet' | 'wifi', number>> {
  const read = async (link: string): Promise<number> => {
    const { output } = await tryProgram('ip', [
      '-n',
      'mqttlab-runs-hub',
      '-s',
      '-j',
      'link',
      'show',
      `${link}${number}`,
    ]);
    const [port] = JSON.parse(output) as { stats64: { rx: { bytes: number } } }[];
    return port?.stats64.rx.bytes ?? Number.NaN;
  };
  return { ethernet: await read('ethernet'), wifi: await read('wifi') };
}

describe('a testbed of three devices', () => {
  it('is created from devices installed over SSH', async () => {
    for (const install of await Promise.all(names.map(async (name) => api.add(await api.requestFor(name))))) {
      expect(install.failure).toBeNull();
    }
    const roles = ['broker', 'publisher', 'subscriber'];
    const request = {
      name: 'Three Pis',
      devices: names.map((deviceId, index) => ({ deviceId, role: roles[index] })),
      links,
    };
    const wrong = { ...request, links: [{ name: 'air', interfaces: { 'pi-1': 'wlan7', 'pi-2': 'wifi' } }] };
    await expect(server.api('POST', '/testbeds', wrong)).rejects.toThrow(/pi-1 has no interface wlan7/);
    const made = await server.api<TestbedStatus>('POST', '/testbeds', request);
    expect(made.testbedId).toBe('three-pis');
    for (const name of names) await api.whenOnline(name);
  });

  it('is read and changed as a file from the command line', async () => {
    const mqttlab = makeCommandLine(server);
    const file = join(server.dataFolder, 'testbed.yaml');
    expect((await mqttlab('testbed', 'list')).said).toMatch(
      /^three-pis +Three Pis +idle +3 of 3 online +cable, air$/m,
    );
    expect(await mqttlab('testbed', 'show', 'Three Pis', '-o', file)).toMatchObject({ code: 0 });
    const shown = readFileSync(file, 'utf8');
    expect(shown).toMatch(/deviceId: pi-1\n +role: broker/);

    writeFileSync(file, shown.replace('role: broker', 'role: publisher'));
    const refused = await mqttlab('testbed', 'set', file);
    expect([refused.code, refused.noted]).toEqual([
      2,
      expect.stringContaining('needs a broker, a publisher'),
    ]);
    writeFileSync(file, shown.replace('name: air', 'name: radio'));
    expect(await mqttlab('testbed', 'set', file)).toMatchObject({ code: 0, noted: 'It was changed.\n' });
    expect((await mqttlab('testbed', 'list')).said).toContain('radio');

    // Without an id, the name identifies the testbed.
    writeFileSync(file, shown.replace('id: three-pis\n', ''));
    expect(await mqttlab('testbed', 'set', file)).toMatchObject({ code: 0, noted: 'It was changed.\n' });
    expect((await mqttlab('testbed', 'show', 'three-pis')).said).toBe(shown);
    writeFileSync(file, shown.replace('id: three-pis\nname: Three Pis', 'name: Others'));
    const taken = await mqttlab('testbed', 'set', file);
    expect([taken.code, taken.noted]).toEqual([1, expect.stringContaining('it belongs to Three Pis')]);
    for (const name of names) await api.whenOnline(name);
  });

  it('connects its agents directly, without SSH, if the server is reachable', async () => {
    const { hostname, port } = new URL(server.address);
    for (const name of names) {
      expect((await api.find(name))?.ssh).toMatchObject({ connection: 'direct' });
      const { output } = await lab.run(name, ['ss', '-Htnp', 'state', 'established', 'dst', hostname]);
      expect(output).toContain(`${hostname}:${port}`);
    }
    await expect(fetch(`${server.address}/api/v1/devices`)).resolves.toMatchObject({ status: 401 });
  });

  it('is checked before a start: named links, and an interface that went down', async () => {
    const draft = makeQuickDraft({ testbedId: 'three-pis', factors: { security: ['plain'], link: ['air'] } });
    const check = () => server.api<Preflight>('POST', '/testbeds/three-pis/preflight', draft);
    const { checks } = await check();
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
    const ofLink = checks.filter(({ id }) => id === 'link-air');
    expect(ofLink.map(({ device, status }) => [device, status])).toEqual(
      names.map((name) => [name, 'passed']),
    );
    expect(checks.filter(({ id }) => id === 'version').map(({ status }) => status)).toEqual(
      Array(3).fill('passed'),
    );
    const { namespace } = lab.device('pi-3');
    const turn = (to: 'up' | 'down') => tryProgram('ip', ['-n', namespace, 'link', 'set', 'wifi', to]);
    expect(await turn('down')).toMatchObject({ code: 0 });
    try {
      const read = async () =>
        (await check()).checks.find(({ id, device }) => id === 'link-air' && device === 'pi-3');
      const found = await eventually('the interface is missed', read, {
        fits: (row) => row?.status === 'failed',
      });
      expect(found).toMatchObject({ evidence: expect.stringContaining('wifi is down') });
      expect(found?.remedy).toMatch(/Connect it/);
    } finally {
      await turn('up');
    }
  });

  it('executes runs over the requested link', async () => {
    const draft = makeQuickDraft({
      testbedId: 'three-pis',
      factors: { security: ['TLS 1.3'], link: ['cable', 'air'] },
    });
    const id = await startExperiment(server, draft);
    const before = await carriedBy(2);
    const detail = await waitUntilDone(server, id);
    expect(detail.progress).toMatchObject({ done: 2, failed: 0 });
    const after = await carriedBy(2);
    const runs = await Promise.all(
      detail.runs.map(({ id: runId }) => server.api<RunDetail>('GET', `/runs/${runId}`)),
    );
    const { addresses } = lab.device('pi-2');
    const used = runs.map(({ treatmentKey, results, verdicts }) => ({
      link: /link=(\w+)/.exec(treatmentKey)?.[1],
      from: results.find(({ role }) => role === 'publisher')?.negotiated?.localAddress,
      seen: results.find(({ role }) => role === 'broker')?.environment['link.seenFrom'],
      asAsked: verdicts.find((verdict) => verdict.id === 'negotiated-as-asked')?.status,
      taken: verdicts.find((verdict) => verdict.id === 'link-used')?.status,
    }));
    const seenOn = (link: 'wifi' | 'ethernet') =>
      [lab.device('pi-2'), lab.device('pi-3')].map((device) => device.addresses[link]).join(', ');
    expect(used.sort((a, b) => String(a.link).localeCompare(String(b.link)))).toEqual([
      { link: 'air', from: addresses.wifi, seen: seenOn('wifi'), asAsked: 'passed', taken: 'passed' },
      {
        link: 'cable',
        from: addresses.ethernet,
        seen: seenOn('ethernet'),
        asAsked: 'passed',
        taken: 'passed',
      },
    ]);
    // Counted independently at the ports of the bridges: 130 messages of more than 100 bytes.
    expect(after.wifi - before.wifi).toBeGreaterThan(13_000);
    expect(after.ethernet - before.ethernet).toBeGreaterThan(13_000);
  });

  it('sends no plain-text secrets to its devices', async () => {
    const capture = new Capture({ filter: 'tcp', snapBytes: 65_535, namespace: 'mqttlab-runs-hub' });
    await capture.start();
    try {
      const draft = makeQuickDraft({
        testbedId: 'three-pis',
        factors: { security: ['plain', 'TLS 1.3'], link: ['cable'] },
      });
      const { progress } = await waitUntilDone(server, await startExperiment(server, draft));
      expect(progress).toMatchObject({ done: 2, failed: 0 });
      const told = await eventually(
        'everything that passed is written',
        () => capture.rows('tcp.len > 0', ['tcp.dstport', 'tcp.srcport', 'tcp.payload']),
        { fits: (rows) => rows.length > 500 },
      );
      const textOf = (rows: string[][]) =>
        rows
          .map(([, , payload = '']) => Buffer.from(payload.split(',')[0] ?? '', 'hex').toString('latin1'))
          .join('');
      const { port } = new URL(server.address);
      const withServer = told.filter((row) => row.slice(0, 2).includes(port));
      // Check of the capture itself: plain MQTT between the devices is readable.
      expect(textOf(told)).toContain('MQTT');
      expect(textOf(withServer).length).toBeGreaterThan(20_000);
      const keys = readdirSync(join(server.dataFolder, 'pki', 'three-pis')).map((name) =>
        readFileSync(join(server.dataFolder, 'pki', 'three-pis', name), 'utf8'),
      );
      const lines = keys.flatMap((pem) => /-----BEGIN PRIVATE KEY-----\n(.+)\n/.exec(pem)?.[1] ?? []);
      const tokens = await Promise.all(
        names.map(async (name) => (await lab.run(name, ['cat', '/opt/mqttlab-agent/token'])).output.trim()),
      );
      expect([lines.length, ...tokens.map(({ length }) => length)]).toEqual([expect.any(Number), 43, 43, 43]);
      expect(lines.length).toBeGreaterThan(1);
      const secrets = [...lines, ...tokens, String(server.token), 'PRIVATE KEY', 'Bearer', '"type":"'];
      expect(secrets.filter((secret) => textOf(withServer).includes(secret))).toEqual([]);
      expect([...lines, ...tokens].filter((secret) => textOf(told).includes(secret))).toEqual([]);
    } finally {
      await capture.remove();
    }
  });

  it('flags a run whose traffic used a different interface than requested', async () => {
    const [broker, publisher] = [lab.device('pi-1'), lab.device('pi-2')];
    const detour = [`${broker.addresses.ethernet}/32`, 'dev', 'wifi', 'src', publisher.addresses.ethernet];
    const route = (verb: 'add' | 'del') =>
      tryProgram('ip', ['-n', publisher.namespace, 'route', verb, ...detour]);
    expect(await route('add')).toMatchObject({ code: 0 });
    try {
      const draft = makeQuickDraft({
        testbedId: 'three-pis',
        factors: { security: ['plain'], link: ['cable'] },
      });
      const detail = await waitUntilDone(server, await startExperiment(server, draft));
      const run = await server.api<RunDetail>('GET', `/runs/${detail.runs[0]?.id}`);
      const verdict = run.verdicts.find(({ id }) => id === 'link-used');
      expect(verdict?.status).toBe('failed');
      expect(verdict?.evidence).toMatch(
        /publisher from .*ethernet sent \d+ B for .*: traffic used another interface/,
      );
      expect(run.flagged).toBe(true);
    } finally {
      await route('del');
    }
  });
});
