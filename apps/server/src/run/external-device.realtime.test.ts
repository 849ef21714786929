import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { writeDevicePrograms } from '@mqttlab/shared/catalogue/external-device/programs';
import { deviceCiphers } from '@mqttlab/shared/catalogue/external-device/protocol';
import { type ExternalDevice, externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { compareQuerySchema } from '@mqttlab/shared/messages/http';
import { makeStudyDocument } from '@mqttlab/studies/page/make-study-document';
import { findStudy } from '@mqttlab/studies/studies';
import { tableOf } from '@mqttlab/studies/testing/study-input';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokerServerName } from '../provisioning/certificates.ts';
import { makeComparison } from '../results/compare.ts';
import { takeMeter } from '../results/store-meter.ts';
import { makeOneRunDraft, playRun } from './testing/real-run.ts';
import { addExperiment, eventually, type Life, Rig } from './testing/rig.ts';

const python = process.env.MQTTLAB_PYTHON ?? 'python3';

/** Of iproute2. */
const ipTool = 'ip';

function hasPaho(): boolean {
  try {
    execFileSync(python, ['-c', 'import paho.mqtt.client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A network namespace for the device, with a virtual cable to this machine; null without permission. */
function plugIn(): { link: string; address: string; command: string[]; remove(): void } | null {
  const [space, link, address] = [`mqx${process.pid}`, `mqx${process.pid % 1_000_000}`, '198.51.100.1'];
  const ip = (...args: string[]) => execFileSync(ipTool, args, { stdio: 'ignore' });
  try {
    ip('netns', 'add', space);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'far0', 'netns', space);
    ip('addr', 'add', `${address}/30`, 'dev', link);
    ip('link', 'set', link, 'up');
    ip('-n', space, 'addr', 'add', '198.51.100.2/30', 'dev', 'far0');
    ip('-n', space, 'link', 'set', 'far0', 'up');
    // paho-mqtt wakes itself over the loopback.
    ip('-n', space, 'link', 'set', 'lo', 'up');
  } catch {
    spawnSync(ipTool, ['netns', 'del', space], { stdio: 'ignore' });
    return null;
  }
  return {
    link,
    address,
    command: [ipTool, 'netns', 'exec', space],
    remove: () => ip('netns', 'del', space),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.runIf(hasPaho())('a device without an agent', () => {
  let rig: Rig;
  let life: Life;
  let program = '';
  let device: ExternalDevice;
  let cable: ReturnType<typeof plugIn> = null;
  const devices: ChildProcess[] = [];

  beforeAll(async () => {
    cable = plugIn();
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.whenReady(60_000)).toBe(true);
    const ports = { port: await freePort(), tlsPort: await freePort() };
    device = externalDeviceSchema.parse({ name: 'node-3', ...ports, waitSeconds: 5 });
    life.externalDevices.saveExternalDevice('local', device);
    const order = { testbedId: 'local', kind: 'RSA 2048', chainLength: 1, addresses: [] } as const;
    const { authority } = await life.devices.certificates.forBroker(order);
    const secrets = life.externalDevices.findDeviceSecrets('local');
    if (secrets === null) throw new Error('the device was not saved');
    const access = { device, ...secrets, authority, serverName: brokerServerName, addresses: [] };
    program = writeDevicePrograms(access, cable?.address ?? '127.0.0.1')[0]?.text ?? '';
  });
  afterEach(() => {
    for (const device of devices) device.kill('SIGKILL');
  });
  afterAll(async () => {
    await rig.remove();
    cable?.remove();
  });

  /** Runs until the tests end. */
  function startDevice(text = program): ChildProcess {
    const path = join(rig.folder, `device-${devices.length}.py`);
    writeFileSync(path, text);
    const [command = '', ...args] = [...(cable?.command ?? []), python, path];
    const device = spawn(command, args, { stdio: 'ignore' });
    devices.push(device);
    return device;
  }

  const draft = (factors: ExperimentDraft['factors'] = {}, measureMs = 1000) =>
    makeOneRunDraft(
      {
        factors: {
          client: ['external device'],
          mqttVersion: ['3.1.1'],
          rate: [50],
          link: [cable?.link ?? 'lo'],
          ...factors,
        },
      },
      { measureMs },
    );
  const tls12 = {
    security: ['TLS 1.2'],
    cipherSuite: ['ECDHE-RSA-AES128-GCM-SHA256'],
    certificate: ['RSA 2048'],
  };

  it('is waited for, and named if it does not connect', async () => {
    const { id } = addExperiment(life, draft());
    await life.scheduler.act(id, 'start');
    const failed = await eventually('a failure', () =>
      life.runs.listRuns(id).find(({ status }) => status === 'failed'),
    );
    expect(failed.failure).toMatchObject({
      code: 'device-not-connected',
      message: expect.stringMatching(/^node-3 did not connect to [\d.]+:\d+ within 5 s/),
      remedy: expect.stringContaining('password and CA certificate'),
    });
    const log = life.runs.listRunLogLines(failed.id).map(({ line }) => line.text);
    expect(log).toContainEqual(expect.stringMatching(/^waiting for node-3 to connect to [\d.]+:/));
  });

  it('ends in the result page of a study: plain and TLS 1.2, with the energy of a meter', async () => {
    startDevice();
    const study = findStudy('stability-aware');
    const origin = { studyId: 'stability-aware', partId: 'a', scale: 'smoke' } as const;
    const { id } = addExperiment(life, {
      ...draft({ ...tls12, security: ['plain', 'TLS 1.2'], qos: [1] }, 2000),
      tags: ['study:stability-aware', 'part:a', 'scale:smoke'],
    });
    await life.scheduler.act(id, 'start');
    await eventually('the end', () => life.experiments.findExperiment(id)?.status === 'done', 60_000);
    const runs = life.runs.listRuns(id);
    expect(runs.map(({ status, failure }) => [status, failure])).toEqual([
      ['done', null],
      ['done', null],
    ]);
    for (const { id: runId } of runs) {
      const detail = life.runs.findRunDetail(runId);
      const watts = detail?.treatment.spec.security === 'plain' ? 0.4 : 0.5;
      // A row every 20 ms from a second before the load to a second after it.
      const rows = Array.from({ length: 300 }, (_, i) => `${i * 20},${watts}`).join('\n');
      const query = {
        role: 'publisher',
        startedAt: (detail?.measuredAt ?? 0) - 2000,
        name: 'shunt',
      } as const;
      await takeMeter(life, runId, { query, text: `elapsed ms,power\n${rows}` });
    }
    for (const { id: runId } of runs) {
      const detail = life.runs.findRunDetail(runId);
      if (detail === null) throw new Error('there is no such run');
      const { metrics, results, verdicts } = detail;
      const { security, cipherSuite } = detail.treatment.spec;
      expect(metrics).toMatchObject({ 'count.sent': 100, 'count.received': 100, 'count.lost': 0 });
      expect(metrics['energy.publisher']).toBeCloseTo(2 * (security === 'plain' ? 0.4 : 0.5), 3);
      const publisher = results.find(({ role }) => role === 'publisher');
      expect(publisher?.counters).toMatchObject({ sent: 100, acknowledged: 100, unsent: 0 });
      expect(publisher?.negotiated).toMatchObject({
        protocol: security === 'plain' ? null : 'TLSv1.2',
        cipherSuite,
      });
      // No measurement of the waiting machine is reported for the device.
      expect(metrics).toMatchObject({ 'cpu.publisher': null, 'memory.publisher.mean': null });
      expect(publisher?.histograms.roundTrip?.count).toBe(100);
      // Its clock was compared over MQTT: the bound is half of the fastest exchange, and never zero.
      expect(publisher?.clock?.before.uncertaintyUs).toBeGreaterThan(0);
      expect(metrics['latency.mean']).toBeGreaterThan(0);
      const failed = verdicts.filter(({ status }) => status === 'failed').map((one) => one.id);
      expect(
        failed.filter((one) => !['device-idle', 'kept-schedule', 'separate-records'].includes(one)),
      ).toEqual([]);
    }
    const { treatments } = await makeComparison(life, compareQuerySchema.parse({ experiments: String(id) }));
    if (!study) throw new Error('there is no such study');
    const blocks = makeStudyDocument({
      study,
      origin,
      treatments,
      flagged: true,
      facts: { cpuModel: '', cpuFeatures: [], broker: 'Mosquitto' },
      report: null,
      palette: printPalette,
    });
    const summary = tableOf(blocks, 'Summary of emitter and receiver').rows.map((row) => row.join(' | '));
    expect(summary).toContainEqual(expect.stringMatching(/energy.*TLS 1.2/i));
    expect(summary).toContainEqual(expect.stringMatching(/latency.*TLS 1.2/i));
  });

  it.each(deviceCiphers)('encrypts payloads under TLS 1.2, and all are decrypted: %s', async (cipher) => {
    startDevice();
    const { detail } = await playRun(life, draft({ ...tls12, payloadCipher: [cipher] }, 500));
    expect(detail.metrics).toMatchObject({ 'count.sent': 25, 'count.received': 25, 'cpu.publisher': null });
    const [publisher, subscriber] = ['publisher', 'subscriber'].map((role) =>
      detail.results.find((result) => result.role === role),
    );
    expect(publisher?.counters?.carriedBytesSent).toBe(25 * carriedBytesOf(detail.treatment.spec));
    expect(publisher?.histograms.roundTrip?.count).toBe(25);
    expect(subscriber?.histograms.decryption?.count).toBe(25);
    expect(subscriber?.counters).toMatchObject({ unauthentic: 0, malformed: 0, replayed: 0 });
  });

  it('is named if its program lacks the cipher', async () => {
    startDevice(program.replace('if ec else {}', 'if not ec else {}'));
    await expect(playRun(life, draft({ payloadCipher: deviceCiphers.slice(0, 1) }))).rejects.toThrow(
      /node-3 cannot encrypt with ECDH P-256 \+ AES-128-CBC/,
    );
  });

  it('is named if it is switched off during the run', async () => {
    const device = startDevice();
    const { id } = addExperiment(life, draft({}, 8000));
    await life.scheduler.act(id, 'start');
    await eventually('a run in progress', () =>
      life.runs.listRuns(id).some(({ status }) => status === 'running'),
    );
    device.kill('SIGKILL');
    const failed = await eventually('a failure', () =>
      life.runs.listRuns(id).find(({ status }) => status === 'failed'),
    );
    expect(failed.failure).toMatchObject({
      code: 'device-lost',
      message: 'node-3 lost its connection to the broker during the run.',
    });
  });

  it('with wrong stamps is counted separately, without losses of others', async () => {
    startDevice(program.replace('measured, 2, sequence', 'measured, 2 if sequence % 2 else 9, sequence'));
    const { detail } = await playRun(life, draft());
    expect(detail.metrics).toMatchObject({ 'count.sent': 50, 'count.received': 25, 'count.lost': 25 });
    const subscriber = detail.results.find(({ role }) => role === 'subscriber');
    expect(subscriber?.degraded).toContainEqual({
      collector: 'messages',
      reason: expect.stringMatching(/without a stamp from this run/),
    });
  });

  it('that sends more than planned, or has a wrong password, is named', async () => {
    startDevice(program.replace('(f"sent {sent} ', '(f"sent {sent + 7} '));
    await expect(playRun(life, draft())).rejects.toThrow(
      'node-3 sent 57 measured messages, but 50 were due.',
    );
    for (const device of devices) device.kill('SIGKILL');
    startDevice(program.replace(/PASSWORD = "node-3", ".*"/, 'PASSWORD = "node-3", "guessed"'));
    await expect(playRun(life, draft())).rejects.toThrow(/node-3 did not connect/);
  });

  describe('as the subscriber', () => {
    beforeAll(() => {
      life.externalDevices.saveExternalDevice('local', { ...device, role: 'subscriber' });
    });

    it('sends back what it receives, which is counted and timed by the publisher', async () => {
      startDevice();
      const { detail } = await playRun(life, draft({ ...tls12, qos: [1] }, 500));
      expect(detail.metrics).toMatchObject({
        'count.sent': 25,
        'count.received': 25,
        'count.lost': 0,
        'cpu.subscriber': null,
        'memory.subscriber.mean': null,
      });
      const [publisher, subscriber] = ['publisher', 'subscriber'].map((role) =>
        detail.results.find((result) => result.role === role),
      );
      expect(publisher?.histograms.roundTrip?.count).toBe(25);
      expect(publisher?.negotiated?.protocol).toBe('TLSv1.2');
      expect(subscriber).toMatchObject({
        latency: null,
        negotiated: { protocol: 'TLSv1.2', cipherSuite: 'ECDHE-RSA-AES128-GCM-SHA256' },
        environment: { 'device.name': 'node-3', 'device.program': 'paho-mqtt' },
      });
      expect(detail.metrics['latency.mean']).toBeGreaterThan(0);
      const failed = detail.verdicts.filter(({ status }) => status === 'failed').map(({ id }) => id);
      expect(
        failed.filter((id) => !['device-idle', 'kept-schedule', 'separate-records'].includes(id)),
      ).toEqual([]);
    });

    it('that changes or duplicates messages is counted separately', async () => {
      const send = 'self.client.publish(ECHO, message.payload, self.echo_qos)';
      const changed = 'bytes(message.payload[:7]) + b"?" + bytes(message.payload[8:])';
      startDevice(
        program.replace(`return ${send}`, `${send}; return ${send.replace('message.payload', changed)}`),
      );
      const { detail } = await playRun(life, draft({}, 500));
      expect(detail.metrics).toMatchObject({ 'count.received': 25, 'count.lost': 0 });
      const subscriber = detail.results.find(({ role }) => role === 'subscriber');
      expect(subscriber?.degraded).toContainEqual({
        collector: 'messages',
        reason: expect.stringMatching(/without a stamp from this run/),
      });
    });

    it('is named if it does not connect, or is switched off during the run', async () => {
      const { id } = addExperiment(life, draft({}, 8000));
      const python = startDevice();
      await life.scheduler.act(id, 'start');
      await eventually('a run in progress', () =>
        life.runs.listRuns(id).some(({ status }) => status === 'running'),
      );
      python.kill('SIGKILL');
      const failed = await eventually('a failure', () =>
        life.runs.listRuns(id).find(({ status }) => status === 'failed'),
      );
      expect(failed.failure).toMatchObject({ code: 'device-lost' });
      await expect(playRun(life, draft())).rejects.toThrow(/node-3 did not connect/);
    });
  });
});
