import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeTestCertificates } from './testing/certificates.ts';
import { carryOutRun, type Lab, type LabRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

const tls13 = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  certificate: 'ECDSA P-256',
} as const;

/** Planned messages: 200 per second in 0.5 s. */
const planned = 100;

function expectCleanDevices(lab: Lab): void {
  for (const { dataFolder, server } of Object.values(lab)) {
    expect(readdirSync(join(dataFolder, 'runs'))).toEqual([]);
    // The spare load worker of the next run.
    expect(readdirSync(join(dataFolder, 'children')).length).toBeLessThanOrEqual(1);
    expect(server.faults).toEqual([]);
  }
}

async function execute(lab: Lab, run: LabRun) {
  const done = await carryOutRun(lab, run);
  const { broker, publisher, subscriber } = done.results;
  for (const result of [broker, publisher, subscriber]) {
    expect(result.failure).toBeNull();
    expect(result.degraded).toEqual([]);
  }
  // A busy machine does not send all of them in time, but every message is accounted for.
  const { sent = 0, unsent = 0 } = publisher.counters ?? {};
  expect(sent).toBeGreaterThan(0);
  expect(sent + unsent).toBe(planned);
  expect(subscriber.counters?.received).toBe(publisher.counters?.sent);
  expect(subscriber.latency?.count).toBe(subscriber.counters?.received);
  expect(existsSync(`/proc/${broker.environment['process.pid']}`)).toBe(false);
  expectCleanDevices(lab);
  return done.results;
}

test('a plain run as in real use, with its rehearsal, has counts, phases, series and environment of all devices', async () => {
  vi.stubEnv('MQTTLAB_REHEARSAL', 'on');
  onTestFinished(() => void vi.unstubAllEnvs());
  const lab = await startLab();
  const { broker, publisher, subscriber } = await execute(lab, { runId: 7, spec: makeTestSpec(), tls: null });

  expect(broker.phases.map(({ phase }) => phase)).toEqual(['warm-up', 'measure', 'drain']);
  // Counted in clock ticks of 10 ms: 100 messages may cost less than one.
  expect(broker.phases[1]?.cpuUs).toEqual(expect.any(Number));
  for (const result of [broker, publisher, subscriber]) {
    // Load series are added if the run takes longer than a second.
    const sampled = ['cpu.process', 'memory.resident', 'cpu.device', 'cpu.agent', 'network.rx', 'network.tx'];
    const series = result.series.filter(({ metric }) => sampled.includes(metric));
    expect(series.map(({ metric }) => metric)).toEqual(sampled);
    // On a virtual machine the kernel may count no tick between two samples: then one value is null.
    for (const { metric, values } of series) {
      expect(values.filter((value) => value !== null).length, metric).toBeGreaterThan(0);
    }
    expect(result.environment).toMatchObject({
      'link.interface': 'lo',
      'link.address': '127.0.0.1',
      'device.kernel': expect.any(String),
      'memory.proportionalBytes': expect.any(Number),
    });
  }
  const configuration = String(broker.environment['broker.configuration']);
  expect(configuration).toContain('max_inflight_messages 65535');
  expect(configuration).toContain('set_tcp_nodelay true');
  expect(broker.log.map(({ text }) => text).join('\n')).toMatch(/New client connected/);
  expect(lab.broker.server.all('phase').map(({ phase, durationUs }) => [phase, durationUs === null])).toEqual(
    [
      ['warm-up', true],
      ['warm-up', false],
      ['measure', true],
      ['measure', false],
      ['drain', true],
      ['drain', false],
    ],
  );
});

test('several runs in a row, over TLS and with every MQTT version', async () => {
  const lab = await startLab();
  const tls = makeTestCertificates('ECDSA P-256');
  let runId = 10;
  for (const mqttVersion of ['3.1', '3.1.1', '5.0'] as const) {
    // The window holds every message, so that a busy broker does not delay them.
    const spec = makeTestSpec({ ...tls13, group: 'P-256', mqttVersion, qos: 2, window: 200 });
    const { publisher } = await execute(lab, { runId, spec, tls });
    expect(publisher.negotiated).toMatchObject({
      protocol: 'TLSv1.3',
      cipherSuite: 'TLS_AES_256_GCM_SHA384',
      group: 'P-256',
    });
    runId += 1;
  }
});

test('TLS 1.2 with a group other than the certificate’s is executed as planned', async () => {
  const lab = await startLab();
  const tls = makeTestCertificates('ECDSA P-256');
  const spec = makeTestSpec({
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-ECDSA-CHACHA20-POLY1305',
    group: 'X25519',
    certificate: 'ECDSA P-256',
  });
  const { subscriber } = await execute(lab, { runId: 3, spec, tls });
  expect(subscriber.negotiated).toMatchObject({
    protocol: 'TLSv1.2',
    cipherSuite: 'ECDHE-ECDSA-CHACHA20-POLY1305',
    group: 'X25519',
  });
});

test('the embedded broker serves a run with the post-quantum hybrid group', async () => {
  const lab = await startLab(['embedded']);
  const tls = makeTestCertificates('ECDSA P-256');
  const { broker, publisher } = await execute(lab, {
    runId: 1,
    spec: makeTestSpec({ broker: 'embedded' }),
    tls: null,
  });
  expect(broker.environment['broker.kind']).toBe('embedded');
  expect(publisher.counters?.acknowledged).toBe(publisher.counters?.sent);
  const spec = makeTestSpec({ ...tls13, broker: 'embedded', group: 'X25519MLKEM768' });
  const hybrid = await execute(lab, { runId: 2, spec, tls });
  expect(hybrid.publisher.negotiated?.group).toBe('X25519MLKEM768');
  expect(hybrid.broker.log.map(({ text }) => text).join('\n')).toContain('TLSv1.3 TLS_AES_256_GCM_SHA384');
});

test('every device sends progress with its own CPU and memory', async () => {
  const lab = await startLab();
  await carryOutRun(lab, { runId: 1, spec: makeTestSpec({ measureMs: 2_300 }), tls: null });
  for (const [role, { server }] of Object.entries(lab)) {
    const frames = server.all('progress').map(({ progress }) => progress);
    expect(frames.at(-1), role).toMatchObject({
      role,
      cpuPercent: expect.any(Number),
      deviceCpuPercent: expect.any(Number),
      residentBytes: expect.any(Number),
      wireBytesPerSecond: expect.any(Number),
    });
  }
});
