import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import type { SetAside } from '@mqttlab/shared/messages/set-aside';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import pino from 'pino';
import type { ProxyHeader } from '../../base/config.ts';
import { conflict } from '../../base/errors.ts';
import type { Conductor } from '../../base/ports.ts';
import { makeTestbedService } from '../../devices/testbed-service.ts';
import { makeBundleService } from '../../exchange/bundle-service.ts';
import { makeCertificates } from '../../provisioning/certificates.ts';
import { makeImportService } from '../../provisioning/import-service.ts';
import { ensureServerKey } from '../../provisioning/log-in.ts';
import { makeRemoteDevices } from '../../provisioning/remote-devices.ts';
import { makeRuntimeFiles } from '../../provisioning/runtime-files.ts';
import { makeAnswerService } from '../../results/answer-service.ts';
import { transitions } from '../../scheduler/scheduler.ts';
import { makeTestDraft } from '../../testing/experiment-factory.ts';
import { makeTestStores } from '../../testing/stores-factory.ts';
import { closeServer, listen } from '../../transport.ts';
import { makeWebhookService } from '../../webhooks/webhook-service.ts';
import { type LoginAttempt, makeGate } from '../guards/gate.ts';
import { makeHttpApp } from '../http-app.ts';
import type { ApiParts } from '../parts.ts';

export interface RigOptions {
  loginRequired?: boolean;
  adminToken?: string;
  hostnames?: string[];
  pageFolder?: string;
  proxyHeader?: ProxyHeader | null;
  now?: () => number;
  /** The database is a file, as in a server: other processes read it. */
  onDisk?: boolean;
  /** Whether every answer is checked against its schema; the default. */
  checkAnswers?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface Call {
  method?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  text?: string;
  headers?: Record<string, string>;
}

/**
 * The whole HTTP side on a free port: real stores, every answer checked against its schema. The conductor only changes
 * the status, as the real one does first.
 */
export async function startApiRig(options: RigOptions = {}) {
  const now = options.now ?? Date.now;
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-api-'));
  const stores = makeTestStores(now, options.onDisk ? folder : null);
  const { experiments } = stores;
  const redialled: string[] = [];
  /** Results refused, by device, and their texts by name. */
  const setAside = new Map<string, SetAside[]>();
  const texts = new Map<string, string>();
  const attempts: LoginAttempt[] = [];
  const told: Omit<LiveEvent, 'id' | 'at'>[] = [];
  const { loginRequired = false, adminToken = null } = options;
  const capabilities = makeTestbed();
  const status = { ...capabilities, busyWith: null };
  const keys = mkdtempSync(join(tmpdir(), 'mqttlab-rig-'));
  const software = 'mqttlab 0.1.0';
  const answers = makeAnswerService({ database: stores.database, stores, software });
  const bundles = makeBundleService({
    database: stores.database,
    stores,
    software,
    now,
    keyPath: join(keys, 'bundle-key.pem'),
    workFolder: join(keys, 'imports'),
    testbedFor: () => 'local',
    signerOf: stores.signers.nameOf,
  });
  const act: Conductor['act'] = async (id, action) => {
    const record = experiments.find(id)!;
    const next = transitions[action][record.status];
    if (!next) throw conflict(`It is ${record.status}.`, 'Do something else.');
    experiments.update(id, { status: next, queuedAt: now() });
  };
  const remoteDevices = makeRemoteDevices({
    ...stores,
    agents: { find: () => null },
    key: () => ensureServerKey(join(folder, 'ssh')),
    files: makeRuntimeFiles({ projectRoot: folder, cacheFolder: join(folder, 'cache') }),
    isBusy: () => false,
    onAgent: () => undefined,
    onChange: () => undefined,
    onLog: () => undefined,
    nowMs: now,
  });
  const testbedService = makeTestbedService({
    devices: stores.devices,
    sshDevices: stores.sshDevices,
    testbeds: stores.testbedStore,
    isNeeded: () => false,
    onChange: () => undefined,
  });
  const webhooks = makeWebhookService({
    store: stores.webhookStore,
    experiments,
    testbeds: { find: () => null },
    nowMs: now,
    subscribe: () => () => undefined,
    ownOrigin: () => null,
    onWarning: () => undefined,
    onTrouble: (error) => {
      throw error;
    },
  });
  const parts: ApiParts = {
    webhooks,
    ...stores,
    testbeds: {
      list: () => [status],
      find: (id) => (id === 'local' ? status : null),
      capabilities: (id) => (id === 'local' ? capabilities : null),
    },
    deviceStates: { of: () => ({ state: 'offline', reasons: [] }) },
    setAside: {
      of: (deviceId) => setAside.get(deviceId) ?? [],
      fetch: async (_deviceId, name) => texts.get(name) ?? null,
    },
    certificates: makeCertificates({ folder: join(folder, 'pki'), nowMs: now }),
    remoteDevices,
    redial: (deviceId) => void redialled.push(deviceId),
    testbedService,
    importService: makeImportService({ remoteDevices, testbedService, testbeds: stores.testbedStore }),
    conductor: { act, noteQueued: () => {} },
    bus: { publish: (event) => void told.push(event) },
    preflight: async (plan) => ({
      checks: [
        {
          id: 'plan',
          device: 'Server',
          label: 'Runs',
          status: 'passed',
          evidence: String(plan.trials.length),
          remedy: null,
        },
      ],
    }),
    answers,
    bundles,
    gate: makeGate({
      ...stores,
      loginRequired,
      adminToken,
      proxyHeader: options.proxyHeader ?? null,
      now,
      onAttempt: (one) => void attempts.push(one),
    }),
    rotateAuthority: async () => {
      throw conflict('The server of this test has no authority.', 'Use startApp.');
    },
    recheckViewers: () => undefined,
    refusedReports: () => ({ log: 3 }),
    version: { name: 'mqttlab', version: '0.1.0', node: '24', openssl: '3.5', startedAt: 1 },
    diskFreeBytes: async () => 1e9,
    logger: pino({ level: 'silent' }),
    now,
  };
  let unready: string | null = null;
  const app = makeHttpApp({
    parts,
    hosts: { hostnames: options.hostnames ?? [], anyAddress: false },
    pageFolder: options.pageFolder ?? '/nonexistent',
    findUnready: () => unready,
    checkAnswers: options.checkAnswers ?? true,
  });
  const server = createServer(app.listener);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${port}`;

  const call = async (path: string, how: Call = {}): Promise<Answer> => {
    const { method = 'GET', body, text = body === undefined ? undefined : JSON.stringify(body) } = how;
    const headers = { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...how.headers };
    const response = await fetch(origin + path, {
      method,
      headers,
      redirect: 'manual',
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: isJson ? JSON.parse(answer) : null,
    };
  };

  return {
    ...stores,
    parts,
    told,
    attempts,
    redialled,
    setAside,
    texts,
    origin,
    port,
    call,
    /** Behind /api/v1. */
    api: (path: string, how: Call = {}) => call(`/api/v1${path}`, how),
    createDraft: (change: Partial<ExperimentDraft> = {}) => experiments.create(makeTestDraft(change)).id,
    setUnready: (reason: string | null) => {
      unready = reason;
    },
    async stop() {
      server.closeAllConnections();
      await closeServer(server);
      app.stop();
      await answers.stop();
      await webhooks.stop();
      rmSync(keys, { recursive: true, force: true });
      stores.database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ApiRig = Awaited<ReturnType<typeof startApiRig>>;
