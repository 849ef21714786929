import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeTestbed, makeWorkload } from '@mqttlab/shared/testing/factories';
import type { Services } from '../../api/services.ts';
import { issueAgentToken } from '../../devices/agent-tokens.ts';
import { findAgentProgram, type LocalTestbed, makeLocalTestbed } from '../../devices/local-testbed.ts';
import { localTestbed } from '../../devices/testbeds.ts';
import { createServer, type Server } from '../../server.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import type { DeviceStore } from '../../store/settings/device-store.ts';
import { makeStores, type Stores } from '../../store/stores.ts';
import { makeTestDraft } from '../../testing/experiment-factory.ts';
import { makeTestConfig, makeTestLogger } from '../../testing/server-factory.ts';
import { makeTestFolder } from '../../testing/stores-factory.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { ScriptedLoadClock } from './scripted-load-clock.ts';

/** One server process: real HTTP, WebSockets and SQLite; scripted agents unless real ones are requested. */
export interface Life
  extends Pick<Stores, 'experiments' | 'runs' | 'runFiles' | 'brokers' | 'externalDevices' | 'testbeds'> {
  scheduler: Services['scheduler'];
  live: Services['live'];
  devices: Services['devices'];
  agentPid: Server['agentPid'];
  /** True once the devices of the built-in testbed are online. */
  whenReady(timeoutMs: number): Promise<boolean>;
  url: string;
  database: Database;
  failures: unknown[];
  stop(): Promise<void>;
  /** Stops like SIGKILL: nothing more is sent or written. */
  crash(): void;
}

export interface RigOptions {
  realAgents?: boolean;
  maximumPages?: number;
  storeTimeoutMs?: number;
  /** Loads take their planned time, as real agents need it; implied by `realAgents`. */
  realLoads?: boolean;
  /** Maps the server URL to the address that real agents dial, for a relay in between. */
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
  /** Clock of the loads of scripted agents. */
  readonly loadClock = new ScriptedLoadClock();
  readonly #lives: Life[] = [];

  async start(options: RigOptions = {}): Promise<Life> {
    const { maximumPages, storeTimeoutMs } = options;
    const database = openDatabase(join(this.folder, 'lab.db'), maximumPages ? { maximumPages } : {});
    const folder = makeTestFolder(this.folder, database);
    const failures: unknown[] = [];
    const server = await createServer(makeTestConfig(this.folder), {
      folder,
      logger: makeTestLogger((error) => failures.push(error)),
      localAgents: this.#agentsOf(options, makeStores(database, folder.secrets).devices),
      readyMs: 0,
      ...(storeTimeoutMs ? { storeTimeoutMs } : {}),
      ...(options.realAgents || options.realLoads ? {} : { time: { loadClock: this.loadClock } }),
    });
    const { address } = await server.start();
    const { stores, scheduler, live, devices } = server.services;
    const life = {
      ...stores,
      scheduler,
      live,
      devices,
      agentPid: server.agentPid,
      whenReady: (timeoutMs: number) =>
        devices.agents.wakeDevices(
          neededRoles.map((role) => `local-${role}`),
          { timeoutMs },
        ),
      database,
      failures,
      url: address,
      ...this.#ends(server),
    };
    this.#lives.push(life);
    return life;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#lives.map((life) => life.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #ends({ http, services, stop }: Server) {
    let over = false;
    const { stores, scheduler } = services;
    return {
      stop: async () => {
        if (over) return;
        over = true;
        http.closeAllConnections();
        await stop();
      },
      crash: () => {
        over = true;
        stores.database.close();
        // A killed server sends no more requests.
        Object.assign(stores.testbeds, { listTestbedRecords: () => [] } satisfies Partial<
          Stores['testbeds']
        >);
        Object.assign(stores.devices, { touchDevice: () => {} } satisfies Partial<Stores['devices']>);
        Object.assign(stores.sshDevices, { findSshDevice: () => null } satisfies Partial<
          Stores['sshDevices']
        >);
        for (const agent of Object.values(this.agents)) agent.disconnect();
        void scheduler.stop().catch(() => {});
        http.close();
        http.closeAllConnections();
      },
    };
  }

  #agentsOf({ realAgents, dialThrough }: RigOptions, devices: DeviceStore): LocalTestbed {
    if (!realAgents) return this.#scripted(devices);
    const folder = join(this.folder, 'agents');
    const program = findAgentProgram(process.env.MQTTLAB_TEST_AGENT);
    const local = makeLocalTestbed({ devices, folder, program, onLog: () => {} });
    if (!dialThrough) return local;
    return { ...local, start: (serverUrl: string) => local.start(dialThrough(serverUrl)) };
  }

  #scripted(devices: DeviceStore): LocalTestbed {
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
        for (const role of neededRoles) this.agents[role].disconnect();
      },
      pidOf: () => null,
      moveTo: () => undefined,
    };
  }
}

/**
 * Two treatments, two repetitions, measuring for a tenth of a second. All devices must be ready within the warm-up,
 * even on a busy machine.
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
  const capabilities = life.devices.testbeds.findTestbedCapabilities(draft.testbedId);
  const online = capabilities?.devices.every((device) => device.online) === true;
  const parsed = parsePlan(draft, capabilities && online ? capabilities : makeTestbed());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { id } = life.experiments.createExperiment(draft);
  life.experiments.savePlan(id, parsed.plan);
  return { id, plan: parsed.plan };
}

/** Polls until `look` returns a value; throws with `what` after `timeoutMs`. */
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
