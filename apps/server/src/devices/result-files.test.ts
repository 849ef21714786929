import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { filePartBytes } from '@mqttlab/shared/messages/result-files';
import { makeRoleResult } from '@mqttlab/shared/testing/factories';
import { expect, onTestFinished, test } from 'vitest';
import { makeServerEvents } from '../base/events.ts';
import { makeLive } from '../live/live.ts';
import { routeUpgrades } from '../live/upgrades.ts';
import { eventually } from '../run/testing/rig.ts';
import { ScriptedAgent } from '../run/testing/scripted-agent.ts';
import type { RunFileStore } from '../store/runs/run-file-store.ts';
import { StorageError } from '../store/storage-error.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { makeAgentHub } from './agent-hub.ts';
import { issueAgentToken } from './agent-tokens.ts';

const capture = { name: 'capture.pcap', bytes: filePartBytes + 10 } as const;
const bytes = Buffer.alloc(capture.bytes, 'packet');

/** A broker whose result has a capture, and the hub that fetches it. */
async function startDelivery(
  change: { savePart?: RunFileStore['saveFilePart']; isKept?: () => boolean; fetchTimeoutMs?: number } = {},
) {
  const stores = makeTestStores();
  const { runs } = playExperiment(stores);
  const runId = runs[0]!.id;
  const lines: string[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const live = makeLive({ stores, nowMs: Date.now, onError });
  const token = issueAgentToken(stores.devices, {
    deviceId: 'pi-1',
    name: 'pi-1',
    role: 'broker',
    testbedId: '',
  });
  const hub = makeAgentHub({
    stores,
    live,
    events: makeServerEvents(),
    storeResult: () => null,
    files: {
      files: { ...stores.runFiles, ...(change.savePart && { saveFilePart: change.savePart }) },
      isKept: change.isKept ?? (() => true),
      onLost: ({ name }, reason) => lines.push(`${name} lost: ${reason}`),
      onLater: ({ name }, reason) => lines.push(`${name} later: ${reason}`),
    },
    nowMs: Date.now,
    timing: { fetchTimeoutMs: change.fetchTimeoutMs ?? 30_000, retryMs: [10, 40] },
  });
  const server = createServer().listen(0, '127.0.0.1');
  const endUpgrades = routeUpgrades(server, [hub]);
  onTestFinished(() => {
    agent.disconnect();
    hub.stop();
    endUpgrades();
    server.close();
    stores.database.close();
  });
  const agent = new ScriptedAgent('broker');
  const key = `${runId}-broker`;
  agent.files.set(capture.name, bytes);
  agent.kept.set(key, {
    type: 'result',
    key,
    runId,
    result: makeRoleResult({ role: 'broker', files: [capture] }),
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const connect = () => agent.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, token);
  const isStored = () => Buffer.concat([...stores.runFiles.readFileParts(runId, capture.name)]).equals(bytes);
  return { stores, hub, agent, key, lines, errors, connect, isStored };
}

test('a result is acknowledged when its capture is stored', async () => {
  const { agent, key, lines, connect, isStored } = await startDelivery();
  await connect();
  await eventually('acknowledged', () => agent.acknowledged.includes(key));
  expect(isStored()).toBe(true);
  expect(agent.fetches).toBe(2);
  expect(lines).toEqual([]);
});

test('a capture that the device does not send now is fetched again and not acknowledged before', async () => {
  const { agent, key, lines, connect, isStored } = await startDelivery({ fetchTimeoutMs: 500 });
  agent.files.set(capture.name, 'silence');
  await connect();
  await eventually('a second question', () => agent.fetches >= 2);
  expect(agent.acknowledged).toEqual([]);
  expect(agent.acknowledged).toEqual([]);
  agent.files.set(capture.name, bytes);
  await eventually('acknowledged', () => agent.acknowledged.includes(key));
  expect(isStored()).toBe(true);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every((line) => line.startsWith('capture.pcap later: '))).toBe(true);
});

test('a capture is requested a limited number of times, then left on the device until it reconnects', async () => {
  const { hub, agent, key, lines, connect, isStored } = await startDelivery();
  agent.files.set(capture.name, { error: 'EIO: i/o error, read' });
  await connect();
  await eventually('the report', () => lines.some((line) => /reconnects/.test(line)));
  const asked = agent.fetches;
  // Nothing waits for it any more, so the next run can start.
  expect(await hub.findAgent('pi-1')?.collectResults(60_000)).toBe(true);
  expect(agent.acknowledged).toEqual([]);
  expect(agent.fetches).toBe(asked);
  agent.files.set(capture.name, bytes);
  agent.disconnect();
  await eventually('offline', () => hub.findAgent('pi-1') === null);
  await connect();
  await eventually('acknowledged', () => agent.acknowledged.includes(key));
  expect(isStored()).toBe(true);
});

test('a capture that cannot be stored now is fetched again until it can', async () => {
  const refused: number[] = [];
  const { stores, agent, key, connect, isStored } = await startDelivery({
    savePart(file, part) {
      if (refused.length < 20) {
        refused.push(part.part);
        throw new StorageError('full', 'The disk is full.', { remedy: 'Free some space.' });
      }
      stores.runFiles.saveFilePart(file, part);
    },
  });
  await connect();
  await eventually('acknowledged', () => agent.acknowledged.includes(key));
  expect(refused).toHaveLength(20);
  expect(isStored()).toBe(true);
});

test('an error of the server itself neither acknowledges a result nor ends the server', async () => {
  let failures = 0;
  let isBroken = true;
  const { agent, key, connect, isStored } = await startDelivery({
    isKept() {
      if (!isBroken) return true;
      failures += 1;
      throw new TypeError('no such run');
    },
  });
  await connect();
  await eventually('a second try', () => failures === 2);
  expect(agent.acknowledged).toEqual([]);
  isBroken = false;
  await eventually('acknowledged', () => agent.acknowledged.includes(key));
  expect(isStored()).toBe(true);
});

test('a capture that the device no longer has is reported, and its result acknowledged', async () => {
  const { agent, key, lines, connect } = await startDelivery();
  agent.files.clear();
  await connect();
  await eventually('acknowledged', () => agent.acknowledged.includes(key));
  expect(lines).toEqual([expect.stringContaining('no longer has it')]);
});
