import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import type { StorageTrouble } from '@mqttlab/shared/domain/devices/device';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { type AgentHub, makeAgentHub } from './live/agents.ts';
import { makeBrowsers } from './live/browsers.ts';
import { type Bus, makeBus } from './live/bus.ts';
import { makeCurrentRuns } from './live/current-runs.ts';
import { type Refusal, routeUpgrades } from './live/upgrades.ts';
import { makeCertificates } from './pki/certificates.ts';
import type { Conductor, ExperimentStore, RunStore, Testbeds } from './ports.ts';
import { makeConductor } from './runs/conductor.ts';
import { settleLateRun } from './runs/late-run.ts';
import { makePreflighter, type Preflighter } from './runs/preflight/preflight.ts';
import { makeResultService } from './runs/result-service.ts';
import { makeRunEvents } from './runs/run-events.ts';
import type { BrokerStore } from './store/settings/broker-store.ts';
import type { DeviceSettingsStore } from './store/settings/device-settings-store.ts';
import type { DeviceStore } from './store/settings/device-store.ts';
import type { SshDeviceStore } from './store/settings/ssh-device-store.ts';
import type { TestbedStore } from './store/settings/testbed-store.ts';
import { writeIfPossible } from './store/storage-error.ts';
import type { Agents } from './testbed/agent-link.ts';
import { identifyAgent } from './testbed/agent-tokens.ts';
import { readBootId } from './testbed/clock-offset.ts';
import { type DeviceStates, makeDeviceStates } from './testbed/device-states.ts';
import { type ImportService, makeImportService } from './testbed/import-service.ts';
import { makeLeases } from './testbed/leases.ts';
import { type AgentProgram, findAgentProgram } from './testbed/local/agent-program.ts';
import { type LocalTestbed, localTestbed, makeLocalTestbed } from './testbed/local/local-testbed.ts';
import { makeRemoteDevices, type RemoteDevices } from './testbed/ssh/remote-devices.ts';
import { makeRuntimeFiles } from './testbed/ssh/runtime-files.ts';
import { ensureServerKey } from './testbed/ssh/server-key.ts';
import { makeTestbedService, type TestbedService } from './testbed/testbed-service.ts';
import { type DefinedDevice, makeTestbeds } from './testbed/testbeds.ts';

export interface LabOptions {
  experiments: ExperimentStore;
  runs: RunStore;
  devices: DeviceStore;
  deviceSettings: DeviceSettingsStore;
  sshDevices: SshDeviceStore;
  testbedStore: TestbedStore;
  /** Where npm has put the Node that travels to devices. */
  projectRoot: string;
  /** Address that other machines reach the server by; left out where none can. */
  openTo?: string;
  brokers: BrokerStore;
  /** Turns the stored results of a Run into metrics and verdicts. */
  finishRun: (runId: number) => void;
  dataFolder: string;
  /** Of this server and the agents that it brings. */
  version: string;
  /** Whether a browser may follow what happens: host and login; null when it may. */
  refuseViewer: (request: IncomingMessage) => Refusal | null;
  /** Why nothing can be kept now; null while everything is. */
  storageTrouble?: () => StorageTrouble | null;
  /** Whether one who was let in may stay. */
  mayStay?: (request: IncomingMessage) => boolean;
  /** For the server's own log. */
  onTrouble: (error: unknown) => void;
  nowMs?: () => number;
  /** So long a Run that is through waits for a database that cannot be written, ms. */
  storeTimeoutMs?: number;
  /** Other agents than the three on this machine. */
  localAgents?: LocalTestbed;
  /** Another agent than the one that is found. */
  agentProgram?: AgentProgram;
}

/** Devices, queue and live events: everything that carries experiments out. */
export interface Lab {
  conductor: Conductor;
  testbeds: Testbeds;
  testbedService: TestbedService;
  remoteDevices: RemoteDevices;
  importService: ImportService;
  /** Results that this server refused, as their devices keep them. */
  setAside: { of: AgentHub['setAsideOf']; fetch: AgentHub['fetchSetAside'] };
  /** Has the agent of a device connect anew. */
  redial(deviceId: string): void;
  /** Reports of agents that were refused because they are not theirs, by kind. */
  refusedReports(): Readonly<Record<string, number>>;
  /** Closes the live connections of browsers whose login has ended. */
  recheckViewers(): void;
  /** How each device is. */
  deviceStates: Pick<DeviceStates, 'of'>;
  bus: Bus;
  preflight: Preflighter;
  /** Settles what was left, takes WebSockets on this listening server, starts the agents and the queue. Idempotent. */
  start(server: Server): Promise<void>;
  /** True when the built-in testbed is complete. */
  whenReady(timeoutMs: number): Promise<boolean>;
  /** Ends the Run under way and every process. Idempotent. */
  stop(): Promise<void>;
  /** Process id of a built-in agent; null while it is not running. */
  agentPid(deviceId: string): number | null;
}

export function makeLab(options: LabOptions): Lab {
  const { experiments, runs, devices, brokers, finishRun, dataFolder, onTrouble, nowMs = Date.now } = options;
  const stopping = new AbortController();
  let endUpgrades: (() => void) | null = null;

  const current = makeCurrentRuns();
  const bus = makeBus({
    nowMs,
    onTrouble,
    snapshot: () => ({
      active: experiments.listActive().flatMap(({ id }) => experiments.summary(id) ?? []),
      testbeds: testbeds.list(),
      current: current.list(),
      storage: options.storageTrouble?.() ?? null,
      log: runs.recentLog(200),
    }),
  });
  bus.subscribe(current.note);
  const tell = makeRunEvents({ bus, experiments, runs, onTrouble });
  const log = (level: 'info' | 'warn' | 'error', text: string): void =>
    tell.log({ experimentId: null, runId: null, line: { at: nowMs(), level, source: 'server', text } });

  const correct = (run: RunSummary): void =>
    settleLateRun(
      { runs, finishRun, tell, nowMs, stopNeedless: (late) => conductor.stopNeedless(late) },
      run,
    );
  const service = makeResultService({ runs, onLateSet: correct, onTrouble });

  const hub = makeAgentHub({
    identify: (token) => identifyAgent(devices, token),
    settingsOf: (deviceId) => options.deviceSettings.find(deviceId),
    takeResult: service.take,
    devicesOf: runs.devicesOf,
    onChange(deviceId, capabilities) {
      if (capabilities) writeIfPossible(() => devices.saveCapabilities(deviceId, capabilities));
      else deviceStates.forget(deviceId);
      tellTestbed(testbeds.testbedOf(deviceId));
    },
    onHealth: (deviceId, health) => deviceStates.note(deviceId, health),
    onLog: (line) => tell.log({ experimentId: null, runId: null, line }),
    onError: onTrouble,
    nowMs,
  });
  const agents: Agents = {
    ...hub,
    whenOnline(deviceIds, waiting) {
      local.wake(deviceIds);
      return hub.whenOnline(deviceIds, waiting);
    },
    capabilitiesOf: (deviceId) =>
      hub.capabilitiesOf(deviceId) ?? devices.find(deviceId)?.capabilities ?? null,
  };
  const leases = makeLeases((testbedId) => {
    tellTestbed(testbedId);
    conductor.wake(testbedId);
  });
  const testbeds = makeTestbeds({
    agents,
    leases,
    brokers,
    definitions: () => [localTestbed, ...options.testbedStore.list()],
    isDraining: (deviceId) => options.sshDevices.find(deviceId)?.draining ?? false,
  });
  const tellTestbed = (testbedId: string | null): void => {
    const data = testbedId === null ? null : testbeds.find(testbedId);
    if (data) bus.publish({ event: 'testbed', experimentId: null, runId: null, data });
  };

  const isInUse = (deviceId: string): boolean => leases.holder(testbeds.testbedOf(deviceId) ?? '') !== null;
  const deviceStates = makeDeviceStates({
    isOnline: (deviceId) => hub.find(deviceId) !== null,
    isBusy: (deviceId) => isInUse(deviceId) || remoteDevices.isWorking(deviceId),
    onContact: (deviceId) => writeIfPossible(() => devices.touch(deviceId)),
    onChange: (deviceId) => tellTestbed(testbeds.testbedOf(deviceId)),
    nowMs,
  });

  const session = {
    agents,
    certificates: makeCertificates({ folder: join(dataFolder, 'pki'), nowMs }),
    bootId: readBootId(),
    externalBrokers: brokers,
  };
  const conductor = makeConductor({
    ...session,
    experiments,
    runs,
    testbeds,
    leases,
    service,
    bus,
    tell,
    finishRun,
    nowMs,
    onTrouble,
    testbedIds: testbeds.ids,
    ...(options.storeTimeoutMs === undefined ? {} : { storeTimeoutMs: options.storeTimeoutMs }),
  });
  const preflight = makePreflighter({
    ...session,
    testbeds,
    leases,
    dataFolder,
    nowMs,
    healthOf: (deviceId) => deviceStates.healthOf(deviceId),
    version: options.version,
  });
  // Agents that come through an SSH session get their own WebSocket and nothing else of this server.
  const tunnelEnd = createServer((_request, response) => void response.writeHead(404).end());
  const remoteDevices = makeRemoteDevices({
    devices,
    sshDevices: options.sshDevices,
    agents: hub,
    key: () => ensureServerKey(join(dataFolder, 'ssh')),
    files: makeRuntimeFiles({ projectRoot: options.projectRoot, cacheFolder: join(dataFolder, 'cache') }),
    isBusy: isInUse,
    onAgent: (stream) => void tunnelEnd.emit('connection', stream),
    onChange(deviceId) {
      const testbedId = testbeds.testbedOf(deviceId);
      tellTestbed(testbedId);
      if (testbedId !== null) conductor.wake(testbedId);
    },
    onLog: log,
    nowMs,
  });
  const testbedService = makeTestbedService({
    devices,
    sshDevices: options.sshDevices,
    testbeds: options.testbedStore,
    isNeeded: (testbedId) =>
      leases.holder(testbedId) !== null ||
      experiments.listActive().some(({ plan }) => plan?.testbedId === testbedId),
    onChange(testbedId, deviceIds) {
      for (const deviceId of deviceIds) hub.drop(deviceId);
      tellTestbed(testbedId);
    },
  });
  const importService = makeImportService({ remoteDevices, testbedService, testbeds: options.testbedStore });
  const local =
    options.localAgents ??
    makeLocalTestbed({
      devices,
      folder: join(dataFolder, 'agents'),
      onLog: log,
      program: options.agentProgram ?? findAgentProgram(),
    });
  const viewers = options.mayStay ? { mayStay: options.mayStay } : {};
  const browsers = makeBrowsers({ bus, nowMs, refuse: options.refuseViewer, ...viewers, onTrouble });

  return {
    conductor,
    testbeds,
    testbedService,
    remoteDevices,
    importService,
    redial: hub.drop,
    setAside: { of: hub.setAsideOf, fetch: hub.fetchSetAside },
    refusedReports: hub.refusedReports,
    recheckViewers: browsers.recheck,
    deviceStates,
    bus,
    preflight,
    async start(server) {
      if (endUpgrades !== null) return;
      const ends = [routeUpgrades(server, [hub, browsers]), routeUpgrades(tunnelEnd, [hub])];
      endUpgrades = () => {
        for (const end of ends) end();
      };
      local.start(urlOf(server));
      remoteDevices.start((localAddress) => outsideUrl(server, options.openTo, localAddress));
      await conductor.start();
    },
    whenReady(timeoutMs) {
      const devices: readonly DefinedDevice[] = localTestbed.devices;
      const deviceIds = devices.flatMap(({ deviceId, standIn }) => (standIn === undefined ? [deviceId] : []));
      return hub.whenOnline(deviceIds, { timeoutMs, signal: stopping.signal });
    },
    async stop() {
      stopping.abort();
      await conductor.stop();
      await remoteDevices.stop();
      await local.stop();
      endUpgrades?.();
      browsers.stop();
      hub.stop();
    },
    agentPid: local.pidOf,
  };
}

/** Where programs on this machine reach the server. */
function urlOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port');
  const any = bound.address === '0.0.0.0' || bound.address === '::';
  const host = any ? '127.0.0.1' : bound.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

/** Where a device reaches the server that sees this machine under `localAddress`; null where none can. */
function outsideUrl(server: Server, openTo: string | undefined, localAddress: string): string | null {
  const bound = server.address();
  if (openTo === undefined || bound === null || typeof bound === 'string') return null;
  const any = bound.address === '0.0.0.0' || bound.address === '::';
  const host = any ? localAddress.replace(/^::ffff:/, '') : bound.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}
