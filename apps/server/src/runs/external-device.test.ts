import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { writeDevicePrograms } from '@mqttlab/shared/catalogue/external-device/programs';
import { externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokerServerName } from '../pki/certificates.ts';
import { makeOneRunDraft, playRun } from './testing/real-run.ts';
import { addExperiment, eventually, type Life, Rig } from './testing/rig.ts';

const python = process.env.MQTTLAB_PYTHON ?? 'python3';

function hasPaho(): boolean {
  try {
    execFileSync(python, ['-c', 'import paho.mqtt.client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.runIf(hasPaho())('a device without an agent', { timeout: 90_000 }, () => {
  let rig: Rig;
  let life: Life;
  let program = '';
  const devices: ChildProcess[] = [];

  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.runtime.whenReady(30_000)).toBe(true);
    const ports = { port: await freePort(), tlsPort: await freePort() };
    const device = externalDeviceSchema.parse({ name: 'node-3', ...ports, waitSeconds: 8 });
    life.externalDevices.save('local', device);
    const order = { testbedId: 'local', kind: 'RSA 2048', chainLength: 1, addresses: [] } as const;
    const { authority } = await life.runtime.certificates.forBroker(order);
    const password = life.externalDevices.password('local') ?? '';
    const access = { device, password, authority, serverName: brokerServerName, addresses: [] };
    program = writeDevicePrograms(access, '127.0.0.1')[0]?.text ?? '';
  }, 60_000);
  afterEach(() => {
    for (const device of devices) device.kill('SIGKILL');
  });
  afterAll(() => rig.remove(), 60_000);

  /** Runs until the tests are over. */
  function startDevice(text = program): ChildProcess {
    const path = join(rig.folder, `device-${devices.length}.py`);
    writeFileSync(path, text);
    const device = spawn(python, [path], { stdio: 'inherit' });
    devices.push(device);
    return device;
  }

  const draft = (factors: ExperimentDraft['factors'] = {}, measureMs = 1000) =>
    makeOneRunDraft(
      { factors: { client: ['external device'], mqttVersion: ['3.1.1'], rate: [50], ...factors } },
      { measureMs },
    );
  const tls12 = {
    security: ['TLS 1.2'],
    cipherSuite: ['ECDHE-RSA-AES128-GCM-SHA256'],
    certificate: ['RSA 2048'],
  };

  it('is waited for, and named where it does not come', async () => {
    const { id } = addExperiment(life, draft());
    await life.runtime.conductor.act(id, 'start');
    const failed = await eventually('a failure', () =>
      life.runs.listOf(id).find(({ status }) => status === 'failed'),
    );
    expect(failed.failure).toMatchObject({
      code: 'device-not-connected',
      message: expect.stringMatching(/^node-3 did not connect to 127.0.0.1:\d+ within 8 s/),
      remedy: expect.stringContaining('password and authority'),
    });
    const log = life.runs.logOf(failed.id).map(({ line }) => line.text);
    expect(log).toContainEqual(expect.stringMatching(/^waiting for node-3 to connect to 127.0.0.1:/));
  });

  it.each([
    ['plain', {}],
    ['TLS 1.2', tls12],
  ])('publishes what it is told over %s, which is counted and timed', async (_name, factors) => {
    startDevice();
    const { detail, verdict } = await playRun(life, draft(factors));
    expect(detail.metrics).toMatchObject({ 'count.sent': 50, 'count.received': 50, 'count.lost': 0 });
    expect(detail.metrics['latency.p50']).toBeGreaterThan(0);
    console.log(
      detail.metrics,
      detail.verdicts.filter((v) => v.status !== 'passed'),
    );
    expect(verdict('negotiated-as-asked')?.status).toBe('passed');
  });
});
