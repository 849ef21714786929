import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { BrokerKind, ClientEngine, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { expect, onTestFinished } from 'vitest';
import { playTrial } from '../../load/testing/play-trial.ts';
import { startTestBroker } from '../../load/testing/test-broker.ts';
import { ChildRecords } from '../../processes/child-records.ts';
import { makeBroker } from '../../roles/broker-role.ts';
import { makeTestCertificates, type TestCertificates } from '../../testing/certificates.ts';
import { testEntry } from '../../testing/entry.ts';
import { makeExternalBroker } from '../../testing/external-broker.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import { probeNodeTls } from '../../tls/tls-library.ts';
import type { Broker, BrokerOffer } from '../broker.ts';
import { brokerProbes } from '../list.ts';

const tls13 = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'P-256',
  certificate: 'ECDSA P-256',
} as const;
const clock = { offsetUs: 0, uncertaintyUs: 0 };

export const securities = [
  ['plain', {}],
  ['TLS 1.3', tls13],
] as const;

let certificates: TestCertificates;
let offers: readonly BrokerOffer[] | null = null;

async function probeBrokers(): Promise<BrokerOffer[]> {
  const host = { entry: testEntry, nodeTls: probeNodeTls() };
  const found = await Promise.all(Object.values(brokerProbes).map((probe) => probe(host)));
  return found.filter((offer) => offer !== null);
}

/** Makes the broker of the specification. An external one is a Mosquitto started outside the agent. */
async function makeTestBroker(spec: TrialSpec, offers: readonly BrokerOffer[]): Promise<Broker> {
  const secure = spec.security !== 'plain';
  const external = spec.broker === 'external' ? await setUpForeign(secure) : null;
  const folder = makeTemporaryFolder();
  const tls = secure && external === null ? certificates : null;
  const files = tls && {
    certificateChain: tls.certificateChain,
    privateKey: tls.privateKey,
    clientAuthority: null,
  };
  const broker = makeBroker(
    { entry: testEntry, offers, procRoot: '/proc', sysRoot: '/sys' },
    { kind: 'prepare-broker', role: 'broker', spec, tls: files, external, energySource: null, clock },
    {
      spec,
      tls: files,
      address: '127.0.0.1',
      folder,
      records: new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} }),
      onLog: () => {},
    },
  );
  onTestFinished(() => broker.stop());
  return broker;
}

async function setUpForeign(secure: boolean) {
  const foreign = await startTestBroker(secure ? { certificates } : {});
  onTestFinished(() => foreign.stop());
  const { port } = foreign;
  return makeExternalBroker({ process: 'mosquitto', ...(secure ? { port: null, tlsPort: port } : { port }) });
}

/** Every process whose environment names a folder, such as leftovers of a client engine. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder);
    } catch {
      return false;
    }
  });
}

/** Runs a trial from start to end, and expects every message and no leftovers. */
export async function expectTrial(
  broker: BrokerKind,
  client: ClientEngine,
  security: Partial<TrialSpec>,
): Promise<void> {
  offers ??= await probeBrokers();
  certificates ??= makeTestCertificates('ECDSA P-256');
  const spec = makeTestSpec({ ...security, broker, client, readingsPerSecond: 100, measureMs: 300 });
  const running = await makeTestBroker(spec, offers);
  const ready = await running.start();
  expect(ready).toMatchObject({ kind: broker, address: '127.0.0.1', pid: expect.any(Number) });
  expect(running.processes ?? [running.pid]).toContain(ready.pid);
  const folders = { publisher: makeTemporaryFolder(), subscriber: makeTemporaryFolder() };
  const { authority, serverName } = certificates;
  const played = await playTrial({ spec, port: ready.port, authority, serverName, folders });
  expect(played.failures).toEqual([]);
  expect(played.sent.messages).toBeGreaterThan(0);
  expect(played.received).toEqual({ messages: played.sent.messages, timedOut: false });
  expect(played.publisher.counters?.acknowledged).toBe(played.sent.messages);
  expect(played.publisher.negotiated).toMatchObject({
    protocol: spec.security === 'plain' ? null : 'TLSv1.3',
    cipherSuite: spec.cipherSuite,
    mqttVersion: spec.mqttVersion,
  });
  expect(await (running.pidNow?.() ?? running.pid)).toBe(ready.pid);
  await running.stop();
  // The agent's own broker has ended; an external one still runs.
  expect(existsSync(`/proc/${ready.pid}`)).toBe(broker === 'external');
  expect(Object.values(folders).flatMap(processesOf)).toEqual([]);
}
