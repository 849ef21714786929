import { setTimeout as wait } from 'node:timers/promises';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import {
  type AgentCommand,
  brokerReadySchema,
  connectedSchema,
  type Drained,
  drainedSchema,
} from '@mqttlab/shared/messages/agent';
import { onTestFinished } from 'vitest';
import type { BrokerKind } from '../agent.ts';
import { Agent } from '../agent.ts';
import { systemClock } from '../load/pacing/clock.ts';
import type { TestChain } from './certificate-chain.ts';
import type { TestCertificates } from './certificates.ts';
import { testEntry } from './entry.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const roles = ['broker', 'publisher', 'subscriber'] as const;
type Role = (typeof roles)[number];

/** One device of the lab, with a separate server: the server's end. */
export interface LabDevice {
  server: FakeServer;
  agent: Agent;
  dataFolder: string;
}

export type Lab = Record<Role, LabDevice>;

/** The three servers' ends to control a run. */
export type Servers = Record<Role, Pick<LabDevice, 'server'>>;

export interface LabRun {
  runId: number;
  spec: TrialSpec;
  /** With a client's certificate if the specification requires one. */
  tls: (TestCertificates & Partial<TestChain>) | null;
  /** True to measure round trips at the publisher too. */
  mirror?: boolean;
  /** For the level "external" of the broker. */
  external?: ExternalBroker;
}

const clock = { offsetUs: 0, uncertaintyUs: 0 };

export interface LabDeviceOptions {
  brokers?: readonly BrokerKind[];
  dataFolder?: string;
  serverLossMs?: number;
  /** Another /sys, and a meter on the network. */
  sysRoot?: string;
  meterUrl?: string;
}

export async function startLabDevice(options: LabDeviceOptions = {}): Promise<LabDevice> {
  const { brokers = ['mosquitto'], dataFolder = makeTemporaryFolder(), serverLossMs = 30_000 } = options;
  const { sysRoot = '/sys', meterUrl = null } = options;
  const server = await startFakeServer();
  const agent = new Agent({
    server: { url: server.address, authority: null },
    serverFile: null,
    enrolToken: null,
    token: server.token,
    name: 'test',
    dataFolder,
    brokers,
    entry: testEntry,
    procRoot: '/proc',
    sysRoot,
    meterUrl,
    supplyVolts: null,
    // Long enough that a busy machine misses no pong.
    timing: { retryMs: 20, retryMostMs: 100, heartbeatMs: 60_000, serverLossMs },
    onLog: () => {},
  });
  onTestFinished(() => agent.stop());
  await agent.start();
  await server.waitFor('hello');
  return { server, agent, dataFolder };
}

export async function startLab(brokers: readonly BrokerKind[] = ['mosquitto']): Promise<Lab> {
  const [broker, publisher, subscriber] = await Promise.all(roles.map(() => startLabDevice({ brokers })));
  return { broker: broker!, publisher: publisher!, subscriber: subscriber! };
}

export function prepareBroker(run: LabRun): AgentCommand {
  const { spec, tls } = run;
  const { certificateChain = '', privateKey = '' } = tls ?? {};
  const asks = spec.clientCertificate === 'mutual TLS';
  const files = tls && {
    certificateChain,
    privateKey,
    clientAuthority: asks ? (tls.clientAuthority ?? null) : null,
  };
  return {
    kind: 'prepare-broker',
    role: 'broker',
    spec,
    tls: files,
    external: run.external ?? null,
    energySource: null,
    clock,
  };
}

export function prepareClient(run: LabRun, role: 'publisher' | 'subscriber', port: number): AgentCommand {
  return {
    kind: 'prepare-client',
    role,
    spec: run.spec,
    clock,
    runTag: 0xdecafbad,
    broker: { address: '127.0.0.1', port },
    authority: run.tls?.authority ?? null,
    serverName: run.tls?.serverName ?? '',
    certificate: run.spec.clientCertificate === 'mutual TLS' ? (run.tls?.client ?? null) : null,
    credentials: null,
    payloadKey: null,
    mirror: role === 'publisher' && (run.mirror ?? false),
    energySource: null,
    share: null,
  };
}

/** Time from the command until a device is ready to measure, in ms. */
const usualReadyMs = 1_000;

/** Instants for all devices, so far in the future that each of them is ready before. */
export function makeStart(spec: TrialSpec, readyMs = usualReadyMs): Extract<AgentCommand, { kind: 'start' }> {
  const warmUpAtUs = systemClock.nowUs() + Math.max(50, readyMs - spec.warmUpMs) * 1_000;
  const measureAtUs = warmUpAtUs + spec.warmUpMs * 1_000;
  return { kind: 'start', warmUpAtUs, measureAtUs, stopAtUs: measureAtUs + spec.measureMs * 1_000 };
}

/** Starts the broker and connects the clients. Resolves with how long that took, in ms. */
async function prepareRun(lab: Servers, run: LabRun): Promise<number> {
  const { runId } = run;
  const startedAtMs = performance.now();
  const ready = brokerReadySchema.parse(await lab.broker.server.mustDo(runId, prepareBroker(run)));
  await Promise.all([
    lab.publisher.server.mustDo(runId, prepareClient(run, 'publisher', ready.port)),
    lab.subscriber.server.mustDo(runId, prepareClient(run, 'subscriber', ready.port)),
  ]);
  for (const role of ['subscriber', 'publisher'] as const) {
    connectedSchema.parse(await lab[role].server.mustDo(runId, { kind: 'connect' }));
  }
  return performance.now() - startedAtMs;
}

/** Starts the load and returns when its measure phase has ended. */
async function loadRun(lab: Servers, run: LabRun, readyMs: number): Promise<void> {
  const start = makeStart(run.spec, readyMs);
  await Promise.all(roles.map((role) => lab[role].server.mustDo(run.runId, start)));
  await wait((start.stopAtUs - systemClock.nowUs()) / 1_000);
}

async function tearDown(lab: Servers, runId: number): Promise<Record<Role, RoleResult>> {
  const [broker, publisher, subscriber] = await Promise.all(
    roles.map(async (role) => {
      await lab[role].server.mustDo(runId, { kind: 'teardown' });
      return lab[role].server.result(`${runId}-${role}`);
    }),
  );
  return { broker: broker!, publisher: publisher!, subscriber: subscriber! };
}

/** A complete run, as controlled by the server. */
export async function carryOutRun(lab: Servers, run: LabRun) {
  const { runId } = run;
  const preparedInMs = await prepareRun(lab, run);
  // A machine that prepares slowly starts slowly.
  await loadRun(lab, run, Math.max(usualReadyMs, 2 * preparedInMs));
  const drain = async (role: Role, expected: number | null): Promise<Drained> =>
    drainedSchema.parse(await lab[role].server.mustDo(runId, { kind: 'drain', expected }));
  const sent = await drain('publisher', null);
  const received = await drain('subscriber', sent.messages);
  await drain('broker', null);
  return { sent, received, results: await tearDown(lab, runId) };
}
