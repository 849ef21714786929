import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import type { SetAside } from '@mqttlab/shared/messages/set-aside';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import type { ProxyHeader } from '../../base/config.ts';
import type { LoginAttempt } from '../../base/events.ts';
import { createServer } from '../../server.ts';
import { openDataFolder } from '../../store/data-folder.ts';
import { makeTestDraft } from '../../testing/experiment-factory.ts';
import { makeTestConfig, makeTestLogger } from '../../testing/server-factory.ts';
import { makeNoAgents, makeTestFolder } from '../../testing/stores-factory.ts';
import { listen } from '../../transport.ts';

export interface RigOptions {
  loginRequired?: boolean;
  adminToken?: string;
  hostnames?: string[];
  publicUrl?: string;
  pageFolder?: string;
  proxyHeader?: ProxyHeader | null;
  now?: () => number;
  /** The database is a file, as in a real server, because other processes read it. */
  onDisk?: boolean;
  /** True to check every answer against its schema; the default. */
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
  /** Sent unchanged. */
  text?: string;
  headers?: Record<string, string>;
}

/**
 * A server without scheduler and agents: experiments change their status and stay there. Every answer is checked
 * against its schema. The built-in testbed has simulated devices.
 */
export async function startApiRig(options: RigOptions = {}) {
  const now = options.now ?? Date.now;
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-api-'));
  const redialled: string[] = [];
  /** Refused results by device, and their texts by name. */
  const setAside = new Map<string, SetAside[]>();
  const texts = new Map<string, string>();
  const attempts: LoginAttempt[] = [];
  const published: Omit<LiveEvent, 'id' | 'at'>[] = [];
  const config = makeTestConfig(folder, {
    loopback: !(options.loginRequired ?? false),
    adminToken: options.adminToken ?? null,
    hostnames: options.hostnames ?? [],
    publicUrl: options.publicUrl ?? null,
    proxyHeader: options.proxyHeader ?? null,
    pageFolder: options.pageFolder ?? '/nonexistent',
  });
  const server = await createServer(config, {
    logger: makeTestLogger(),
    localAgents: makeNoAgents(),
    time: { nowMs: now },
    checkAnswers: options.checkAnswers ?? true,
    folder: options.onDisk ? openDataFolder(folder) : makeTestFolder(folder),
  });
  const { services, readiness, http } = server;
  const { stores, devices, live } = services;
  const capabilities = makeTestbed();
  const status = { ...capabilities, busyWith: null };
  Object.assign(devices.testbeds, {
    listTestbeds: () => [status],
    findTestbed: (id: string) => (id === 'local' ? status : null),
    findTestbedCapabilities: (id: string) => (id === 'local' ? capabilities : null),
  } satisfies Partial<typeof devices.testbeds>);
  Object.assign(devices.agents, {
    reconnectAgent: (deviceId: string) => void redialled.push(deviceId),
    listSetAside: (deviceId: string) => setAside.get(deviceId) ?? [],
    fetchSetAside: async (_deviceId: string, name: string) => texts.get(name) ?? null,
    countRefusedReports: () => ({ log: 3 }),
  } satisfies Partial<typeof devices.agents>);
  devices.preflight = async (plan) => ({
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
  });
  server.events.on('login-attempt', (attempt) => void attempts.push(attempt));
  live.subscribe(
    ({ id: _id, at: _at, ...event }) => void published.push(event as Omit<LiveEvent, 'id' | 'at'>),
  );
  readiness.missing = null;
  const port = await listen(http, config);
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
    server,
    services,
    published,
    attempts,
    redialled,
    setAside,
    texts,
    origin,
    port,
    call,
    /** Path after /api/v1. */
    api: (path: string, how: Call = {}) => call(`/api/v1${path}`, how),
    createDraft: (change: Partial<ExperimentDraft> = {}) =>
      stores.experiments.createExperiment(makeTestDraft(change)).id,
    setUnready: (reason: string | null) => {
      readiness.missing = reason;
    },
    async stop() {
      http.closeAllConnections();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ApiRig = Awaited<ReturnType<typeof startApiRig>>;
