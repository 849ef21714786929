import { brokerStayedUp } from '@mqttlab/shared/catalogue/verdicts/broker-stayed-up';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { brokerReadySchema } from '@mqttlab/shared/messages/agent';
import { expect, onTestFinished, test } from 'vitest';
import { startTestBroker } from './load/testing/test-broker.ts';
import { makeExternalBroker } from './testing/external-broker.ts';
import { type LabDevice, makeStart, prepareBroker, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

const judge = (spec: TrialSpec, result: RoleResult) => brokerStayedUp.judge({ spec, results: [result] });

async function endRun({ server }: LabDevice): Promise<RoleResult> {
  await server.mustDo(5, { kind: 'teardown' });
  return server.result('5-broker');
}

/** An external broker on a port where a later one can replace it. */
async function startForeign(port?: number) {
  const foreign = await startTestBroker(port === undefined ? {} : { port });
  onTestFinished(() => foreign.stop());
  return foreign;
}

test('an embedded or Mosquitto broker that is killed during a run fails its verdict; one that stays passes', async () => {
  const device = await startLabDevice();
  const spec = makeTestSpec();
  const ready = await device.server.mustDo(5, prepareBroker({ runId: 5, spec, tls: null }));
  await device.server.mustDo(5, makeStart(spec));
  process.kill(brokerReadySchema.parse(ready).pid!, 'SIGKILL');
  await device.server.waitFor('trouble');
  expect(judge(spec, await endRun(device)).status).toBe('failed');

  const other = await startLabDevice();
  await other.server.mustDo(5, prepareBroker({ runId: 5, spec, tls: null }));
  await other.server.mustDo(5, makeStart(spec));
  expect(judge(spec, await endRun(other))).toMatchObject({
    status: 'passed',
    evidence: expect.stringMatching(/^pid \d+/),
  });
});

test('a restart of an external broker is detected by its process, and the broker is never stopped', async () => {
  const spec = makeTestSpec({ broker: 'external' });
  const foreign = await startForeign();
  const external = makeExternalBroker({ port: foreign.port, process: 'mosquitto' });
  const undisturbed = await startLabDevice();
  await undisturbed.server.mustDo(5, prepareBroker({ runId: 5, spec, tls: null, external }));
  await undisturbed.server.mustDo(5, makeStart(spec));
  const kept = await endRun(undisturbed);
  expect(judge(spec, kept).status).toBe('passed');
  expect(kept.environment).toMatchObject({ 'process.pid': foreign.pid, 'broker.label': external.label });
  expect(process.kill(foreign.pid, 0)).toBe(true);

  const device = await startLabDevice();
  await device.server.mustDo(5, prepareBroker({ runId: 5, spec, tls: null, external }));
  await device.server.mustDo(5, makeStart(spec));
  await foreign.stop();
  const successor = await startForeign(foreign.port);
  const result = await endRun(device);
  const verdict = judge(spec, result);
  expect(verdict.status).toBe('failed');
  expect(verdict.evidence).toContain(`pid ${foreign.pid}`);
  expect(verdict.evidence).toContain(`pid ${successor.pid}`);
  expect(process.kill(successor.pid, 0)).toBe(true);
});

test('an external broker without a process neither passes nor fails the verdict', async () => {
  const spec = makeTestSpec({ broker: 'external' });
  const foreign = await startForeign();
  const device = await startLabDevice();
  const external = makeExternalBroker({ port: foreign.port });
  await device.server.mustDo(5, prepareBroker({ runId: 5, spec, tls: null, external }));
  await device.server.mustDo(5, makeStart(spec));
  const result = await endRun(device);
  expect(judge(spec, result).status).toBe('not applicable');
  expect(result.degraded).toEqual([]);
  expect(result.series.map(({ metric }) => metric)).not.toContain('cpu.process');
  expect(result.series.map(({ metric }) => metric)).toContain('cpu.device');
});
