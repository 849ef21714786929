import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeCapabilities, makeTestbed, makeWorkload } from '@mqttlab/shared/testing/factories';
import { issueAgentToken } from '../../devices/agent-tokens.ts';
import { findAgentProgram, localTestbed, makeLocalTestbed } from '../../devices/local-testbed.ts';
import { finishRun } from '../../results/finish-run.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import type { ExperimentStore } from '../../store/experiments/experiment-store.ts';
import type { RunFileStore } from '../../store/runs/run-file-store.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { makeSecretBox } from '../../store/secret-box.ts';
import type { BrokerStore } from '../../store/settings/broker-store.ts';
import type { DeviceStore, makeDeviceStore } from '../../store/settings/device-store.ts';
import type { ExternalDeviceStore } from '../../store/settings/external-device-store.ts';
import type { TestbedStore } from '../../store/settings/testbed-store.ts';
import { makeStores } from '../../stores.ts';
import { makeTestbedRuntime, type TestbedRuntime } from '../../testbed-runtime.ts';
import { makeTestDraft } from '../../testing/experiment-factory.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { ScriptedLoadClock } from './scripted-load-clock.ts';

/** One life of a server: real HTTP, WebSockets and SQLite; scripted agents unless real ones are asked for. */
export interface Life {
  runtime: TestbedRuntime;
  url: string;
  experiments: ExperimentStore;
  runs: RunStore;
  runFiles: RunFileStore;
  database: Database;
  brokers: BrokerStore;
  externalDevices: ExternalDeviceStore;
  testbeds: TestbedStore;
  troubles: unknown[];
  stop(): Promise<void>;
  /** As SIGKILL would: nothing is said, nothing more is written. */
  crash(): void;
}

export interface RigOptions {
  realAgents?: boolean;
  maximumPages?: number;
  storeTimeoutMs?: number;
  /** Loads take the time that their plans say, as real agents need it; implied by `realAgents`. */
  realLoads?: boolean;
  /** Where real agents dial instead of the server itself, so that somebody can stand in between. */
  dialThrough?: (serverUrl: string) => string;
}

/** A data folder that outlives the servers started on it. */
export class Rig {
  readonly folder = mkdtempSync(join(tmpdir(), 'mqttlab-rig-'));
  readonly agents: Readonly<Record<(typeof neededRoles)[number], ScriptedAgent>> = {
    broker: new ScriptedAgent('broker'),
    publisher: new ScriptedAgent('publisher'),
    subscriber: new ScriptedAgent('subscriber'),
  };
  /** Of the loads of scripted agents. */
  readonly loadClock = new ScriptedLoadClock();
  readonly #lives: Life[] = [];

  async start(options: RigOptions = {}): Promise<Life> {
    const { maximumPages } = options;
    const database = openDatabase(join(this.folder, 'lab.db'), maximumPages ? { maximumPages } : {});
    const stores = makeStores(database, makeSecretBox(randomBytes(32)));
    const troubles: unknown[] = [];
    const runtime = makeTestbedRuntime({
      stores,
      finishRun: (runId) => finishRun(stores, runId),
      dataFolder: this.folder,
      projectRoot: this.folder,
      version: makeCapabilities('broker').agentVersion,
      refuseViewer: () => null,
      onTrouble: (error) => troubles.push(error),
      ...(options.storeTimeoutMs ? { storeTimeoutMs: options.storeTimeoutMs } : {}),
      ...(options.realAgents || options.realLoads ? {} : { loadClock: this.loadClock }),
      ...this.#agentsOf(options, stores.devices),
    });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await runtime.start(server);
    const life = {
      ...stores,
      runtime,
      database,
      troubles,
      url: urlOf(server),
      ...this.#ends({ runtime, server, database, ...stores }),
    };
    this.#lives.push(life);
    return life;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#lives.map((life) => life.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #ends(parts: {
    runtime: TestbedRuntime;
    server: Server;
    database: Database;
    testbeds: TestbedStore;
    devices: DeviceStore;
    sshDevices: object;
  }) {
    let over = false;
    const { runtime, server, database } = parts;
    return {
      stop: async () => {
        if (over) return;
        over = true;
        await runtime.stop();
        server.close();
        server.closeAllConnections();
        database.close();
      },
      crash: () => {
        over = true;
        database.close();
        // A killed server asks nothing any more.
        Object.assign(parts.testbeds, { list: () => [] });
        Object.assign(parts.devices, { touch: () => {} });
        Object.assign(parts.sshDevices, { find: () => null });
        for (const agent of Object.values(this.agents)) agent.hangUp();
        void runtime.conductor.stop().catch(() => {});
        server.close();
        server.closeAllConnections();
      },
    };
  }

  #agentsOf({ realAgents, dialThrough }: RigOptions, devices: ReturnType<typeof makeDeviceStore>) {
    if (!realAgents) return { localAgents: this.#scripted(devices) };
    const agentProgram = findAgentProgram(process.env.MQTTLAB_TEST_AGENT);
    if (!dialThrough) return { agentProgram };
    const folder = join(this.folder, 'agents');
    const local = makeLocalTestbed({ devices, folder, program: agentProgram, onLog: () => {} });
    return { localAgents: { ...local, start: (serverUrl: string) => local.start(dialThrough(serverUrl)) } };
  }

  #scripted(devices: ReturnType<typeof makeDeviceStore>) {
    return {
      start: (serverUrl: string) => {
        for (const { deviceId, name, role } of localTestbed.devices) {
          if (role === 'bridge' || role === 'cloud-broker') continue;
          const { testbedId } = localTestbed;
          const token = issueAgentToken(devices, { deviceId, name, role, testbedId });
          this.agents[role].connect(serverUrl, token).catch(() => {});
        }
      },
      wake: () => {},
      stop: async () => {
        for (const role of neededRoles) this.agents[role].hangUp();
      },
      pidOf: () => null,
      moveTo: () => undefined,
    };
  }
}

function urlOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${bound.port}`;
}

/**
 * Two treatments, two repetitions, a tenth of a second measured. The devices must all be ready within the warm-up, on
 * a busy machine as well.
 */
export function makeTinyDraft(change: Partial<ExperimentDraft> = {}): ExperimentDraft {
  return makeTestDraft({
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384'],
      rate: [200],
      qos: [1],
    },
    workload: makeWorkload({ warmUpMs: 400, measureMs: 100, drainTimeoutMs: 1000, window: 100 }),
    repetitions: 2,
    retries: 0,
    ...change,
  });
}

/** Stores an experiment with its plan, as HTTP does before "start". */
export function addExperiment(
  life: Life,
  draft: ExperimentDraft = makeTinyDraft(),
): { id: number; plan: Plan } {
  const capabilities = life.runtime.testbeds.capabilities(draft.testbedId);
  const online = capabilities?.devices.every((device) => device.online) === true;
  const parsed = parsePlan(draft, capabilities && online ? capabilities : makeTestbed());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { id } = life.experiments.create(draft);
  life.experiments.savePlan(id, parsed.plan);
  return { id, plan: parsed.plan };
}

/** Polls until `look` gives something; throws with `what` after `timeoutMs`. */
export async function eventually<T>(
  what: string,
  look: () => T | null | undefined | false,
  timeoutMs = 240_000,
): Promise<T> {
  for (const endsAt = Date.now() + timeoutMs; Date.now() < endsAt; await wait(5)) {
    const found = look();
    if (found) return found;
  }
  throw new Error(`never came: ${what}`);
}
