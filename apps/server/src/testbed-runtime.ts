import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import type { StorageTrouble } from '@mqttlab/shared/messages/live';
import { runAllSteps } from './base/run-all-steps.ts';
import { makeAgentHub } from './devices/agent-hub.ts';
import type { Agents } from './devices/agent-link.ts';
import { identifyAgent, makeEnrol } from './devices/agent-tokens.ts';
import { readBootId } from './devices/device-clocks.ts';
import { makeDeviceStates } from './devices/device-states.ts';
import { makeLeases } from './devices/leases.ts';
import {
  type AgentProgram,
  findAgentProgram,
  type LocalTestbed,
  localTestbed,
  makeLocalTestbed,
} from './devices/local-testbed.ts';
import { makeTestbedService } from './devices/testbed-service.ts';
import { type DefinedDevice, makeTestbeds } from './devices/testbeds.ts';
import { makeBrowsers } from './live/browsers.ts';
import { makeBus, makeCurrentRuns } from './live/bus.ts';
import { makeRunEvents } from './live/run-events.ts';
import { type Refusal, routeUpgrades } from './live/upgrades.ts';
import { makePreflighter } from './preflight/preflight.ts';
import { makeCertificates } from './provisioning/certificates.ts';
import { makeImportService } from './provisioning/import-service.ts';
import { ensureServerKey } from './provisioning/log-in.ts';
import { makeRemoteDevices } from './provisioning/remote-devices.ts';
import { makeRuntimeFiles } from './provisioning/runtime-files.ts';
import { makeResultService, settleLateRun } from './run/results.ts';
import { type LoadClock, systemLoadClock } from './run/session.ts';
import { makeConductor } from './scheduler/scheduler.ts';
import { writeIfPossible } from './store/storage-error.ts';
import type { Stores } from './stores.ts';
import { localUrl, urlAt } from './transport.ts';

export interface TestbedRuntimeOptions {
  stores: Pick<
    Stores,
    | 'experiments'
    | 'runs'
    | 'runFiles'
    | 'devices'
    | 'deviceSettings'
    | 'sshDevices'
    | 'testbeds'
    | 'brokers'
    | 'externalDevices'
    | 'enrolments'
  >;
  /** Where npm has put the Node that travels to devices. */
  projectRoot: string;
  /** Whether other machines can dial the server themselves. */
  isOpen?: boolean;
  /** Returns the certificate that agents pin, PEM; null without TLS. */
  pinned?: () => string | null;
  /** Whether that certificate is of the server's own authority, which can be replaced. */
  hasAuthority?: boolean;
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
  /** The system's clock if omitted. */
  loadClock?: LoadClock;
  /** Other agents than the three on this machine. */
  localAgents?: LocalTestbed;
  /** Another agent than the one that is found. */
  agentProgram?: AgentProgram;
}

export type TestbedRuntime = ReturnType<typeof makeTestbedRuntime>;

/** Devices, queue and live events: everything that carries experiments out. */
export function makeTestbedRuntime(options: TestbedRuntimeOptions) {
  const { finishRun, dataFolder, onTrouble, nowMs = Date.now } = options;
  const { experiments, runs, devices, sshDevices, brokers, externalDevices } = options.stores;
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
  const events = makeRunEvents({ bus, experiments, runs, onTrouble, nowMs });
  const settling = { experiments, runs, finishRun, events, nowMs };
  const results = makeResultService({
    runs,
    onLateSet(run) {
      if (settleLateRun(settling, run)) conductor.stopNeedless(run);
    },
    onTrouble,
  });

  const pinned = options.pinned ?? (() => null);
  let announced: readonly string[] | null = null;
  const hub = makeAgentHub({
    authorities: () => announced ?? (options.hasAuthority ? [pinned() ?? []].flat() : []),
    identify: (token) => identifyAgent(devices, token),
    enrol: (token, name) => enrol(token, name),
    settingsOf: (deviceId) => options.stores.deviceSettings.find(deviceId),
    storeResult: results.store,
    files: {
      files: options.stores.runFiles,
      isKept: (runId) => runs.find(runId) !== null,
      onLost({ runId, name }, reason) {
        events.note('error', `${name} of run ${runId} is not kept: ${reason} Nothing else of it is lost.`);
      },
      onLater({ runId, name }, reason) {
        events.note('warn', `${name} of run ${runId} is not stored yet; its device keeps it. ${reason}`);
      },
    },
    devicesOf: runs.devicesOf,
    onChange(deviceId, capabilities) {
      if (capabilities) writeIfPossible(() => devices.saveCapabilities(deviceId, capabilities));
      else deviceStates.forget(deviceId);
      publishTestbed(testbeds.testbedOf(deviceId));
    },
    onHealth: (deviceId, health) => deviceStates.note(deviceId, health),
    onLog: (line) => events.log(line),
    onError: onTrouble,
    nowMs,
  });
  const enrol = makeEnrol({
    ...options.stores,
    isOnline: (deviceId) => hub.find(deviceId) !== null,
    onEnrolled: ({ name }, pool) => events.note('info', `${name} enrolled in pool ${pool}`),
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
    publishTestbed(testbedId);
    conductor.wake(testbedId);
  });
  const testbeds = makeTestbeds({
    agents,
    leases,
    brokers,
    externalDevices,
    definitions: () => [localTestbed, ...options.stores.testbeds.list()],
    isDraining: (deviceId) => sshDevices.find(deviceId)?.draining ?? false,
  });
  const publishTestbed = (testbedId: string | null): void => {
    const data = testbedId === null ? null : testbeds.find(testbedId);
    if (data) bus.publish({ event: 'testbed', experimentId: null, runId: null, data });
  };

  const isInUse = (deviceId: string): boolean => leases.holder(testbeds.testbedOf(deviceId) ?? '') !== null;
  const deviceStates = makeDeviceStates({
    isOnline: (deviceId) => hub.find(deviceId) !== null,
    isBusy: (deviceId) => isInUse(deviceId) || remoteDevices.isWorking(deviceId),
    onContact: (deviceId) => writeIfPossible(() => devices.touch(deviceId)),
    onChange: (deviceId) => publishTestbed(testbeds.testbedOf(deviceId)),
    nowMs,
  });

  const session = {
    agents,
    certificates: makeCertificates({ folder: join(dataFolder, 'pki'), nowMs }),
    bootId: readBootId(),
    loadClock: options.loadClock ?? systemLoadClock,
    externalBrokers: brokers,
    externalDevices,
  };
  const conductor = makeConductor({
    ...session,
    ...settling,
    testbeds,
    leases,
    results,
    bus,
    events,
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
    sshDevices,
    agents: hub,
    key: () => ensureServerKey(join(dataFolder, 'ssh')),
    files: makeRuntimeFiles({ projectRoot: options.projectRoot, cacheFolder: join(dataFolder, 'cache') }),
    isBusy: isInUse,
    onAgent: (stream) => void tunnelEnd.emit('connection', stream),
    onChange(deviceId) {
      const testbedId = testbeds.testbedOf(deviceId);
      publishTestbed(testbedId);
      if (testbedId !== null) conductor.wake(testbedId);
    },
    onLog: events.note,
    nowMs,
  });
  const testbedService = makeTestbedService({
    devices,
    sshDevices,
    testbeds: options.stores.testbeds,
    isNeeded: (testbedId) =>
      leases.holder(testbedId) !== null ||
      experiments.listActive().some(({ plan }) => plan?.testbedId === testbedId),
    onChange(testbedId, deviceIds) {
      for (const deviceId of deviceIds) hub.drop(deviceId);
      publishTestbed(testbedId);
    },
  });
  const importService = makeImportService({
    remoteDevices,
    testbedService,
    testbeds: options.stores.testbeds,
  });
  const local =
    options.localAgents ??
    makeLocalTestbed({
      devices,
      folder: join(dataFolder, 'agents'),
      onLog: events.note,
      program: options.agentProgram ?? findAgentProgram(),
    });
  const viewers = options.mayStay ? { mayStay: options.mayStay } : {};
  const browsers = makeBrowsers({ bus, nowMs, refuse: options.refuseViewer, ...viewers, onTrouble });

  let listening: Server | null = null;
  const localAddress = (server: Server, authorities: readonly string[]): string =>
    [localUrl(server), ...authorities].join('\n');

  return {
    /**
     * Has every agent within reach pin these certificates (PEM). True: it does. False: it pins nothing. Undefined: it
     * did not answer. Devices that are not in the map are offline.
     */
    async trust(authorities: readonly string[]): Promise<Map<string, boolean | undefined>> {
      announced = authorities;
      if (listening) local.moveTo(localAddress(listening, authorities));
      const [answers, reached] = await Promise.all([
        hub.trust(authorities),
        remoteDevices.trust(authorities),
      ]);
      for (const [deviceId, isReached] of reached) answers.set(deviceId, isReached || answers.get(deviceId));
      return answers;
    },
    /** Of the brokers of runs. */
    certificates: session.certificates,
    conductor,
    testbeds,
    testbedService,
    remoteDevices,
    importService,
    /** Has the agent of a device connect anew. */
    redial: hub.drop,
    /** Results that this server refused, as their devices keep them. */
    setAside: { of: hub.setAsideOf, fetch: hub.fetchSetAside },
    /** Reports of agents that were refused because they are not theirs, by kind. */
    refusedReports: hub.refusedReports,
    /** Closes the live connections of browsers whose login has ended. */
    recheckViewers: browsers.recheck,
    deviceStates,
    bus,
    /** Shows a line of the server's own, and stores it in the log. */
    note: events.note,
    preflight,
    /** Settles what was left, takes WebSockets on this listening server, starts agents and queue. Idempotent. */
    async start(server: Server): Promise<void> {
      if (endUpgrades !== null) return;
      const ends = [routeUpgrades(server, [hub, browsers]), routeUpgrades(tunnelEnd, [hub])];
      endUpgrades = () => {
        for (const end of ends) end();
      };
      const { isOpen = false } = options;
      const certificate = pinned();
      listening = server;
      local.start(localAddress(server, certificate === null ? [] : [certificate]));
      remoteDevices.start({
        urlAt: (localAddress) => (isOpen ? urlAt(server, localAddress.replace(/^::ffff:/, '')) : null),
        pinned: certificate,
      });
      await conductor.start();
    },
    /** True when the built-in testbed is complete. */
    whenReady(timeoutMs: number): Promise<boolean> {
      const defined: readonly DefinedDevice[] = localTestbed.devices;
      const deviceIds = defined.flatMap(({ deviceId, standIn }) => (standIn === undefined ? [deviceId] : []));
      return hub.whenOnline(deviceIds, { timeoutMs, signal: stopping.signal });
    },
    /** Ends the Run under way and every process. Idempotent. */
    stop(): Promise<void> {
      stopping.abort();
      const steps = [
        () => conductor.stop(),
        () => remoteDevices.stop(),
        () => local.stop(),
        () => endUpgrades?.(),
        () => browsers.stop(),
        () => hub.stop(),
      ];
      return runAllSteps(steps, onTrouble);
    },
    /** Process id of a built-in agent; null while it is not running. */
    agentPid: local.pidOf,
  };
}
