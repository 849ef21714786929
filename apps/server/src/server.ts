import { createServer as createHttpServer } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { LiveSnapshot } from '@mqttlab/shared/messages/live';
import pino, { type Logger } from 'pino';
import { type Gate, makeGate } from './api/guards/gate.ts';
import { findForeign } from './api/guards/request-origin.ts';
import { makeHttpApp } from './api/http-app.ts';
import type { Services } from './api/services.ts';
import { type Config, isLoopbackHost } from './base/config.ts';
import { ProblemError } from './base/errors.ts';
import { makeServerEvents } from './base/events.ts';
import { makeAgentHub } from './devices/agent-hub.ts';
import { readBootId } from './devices/device-clocks.ts';
import { makeDeviceStates } from './devices/device-states.ts';
import { findAgentProgram, type LocalTestbed, makeLocalTestbed } from './devices/local-testbed.ts';
import { makeTestbedService } from './devices/testbed-service.ts';
import { type DefinedDevice, localTestbed, makeTestbeds } from './devices/testbeds.ts';
import { makeBundleService } from './exchange/bundle-service.ts';
import { makeBrowsers } from './live/browsers.ts';
import { makeLive } from './live/live.ts';
import { routeUpgrades } from './live/upgrades.ts';
import { runPreflight } from './preflight/preflight.ts';
import { makeCertificates } from './provisioning/certificates.ts';
import { makeImportService } from './provisioning/import-service.ts';
import { ensureServerKey } from './provisioning/log-in.ts';
import { makeRemoteDevices } from './provisioning/remote-devices.ts';
import { makeAuthorityRotator } from './provisioning/rotate-authority.ts';
import { makeRuntimeFiles } from './provisioning/runtime-files.ts';
import { makeAnswerService } from './results/answer-service.ts';
import { freezeSettledShares, startPreparing } from './results/background-answers.ts';
import { type Redefining, startRedefining, startRetention } from './results/upkeep.ts';
import { makeResultService } from './run/results.ts';
import { type RunTime, systemLoadClock } from './run/session.ts';
import { makeScheduler } from './scheduler/scheduler.ts';
import { type DataFolder, openDataFolder } from './store/data-folder.ts';
import { StorageError, writeIfPossible } from './store/storage-error.ts';
import { makeStores } from './store/stores.ts';
import {
  addressesForOthers,
  addressOf,
  agentAddressOf,
  closeServer,
  listen,
  openTransport,
  originForLinks,
  originForOthers,
  urlAt,
} from './transport.ts';
import { makeWebhookService } from './webhooks/webhook-service.ts';

/** Replacements for tests. */
export interface ServerOptions {
  logger?: Logger;
  /** Replaces the agent processes on this machine. */
  localAgents?: LocalTestbed;
  /** Clocks for runs; `nowMs` is the clock of the whole server. */
  time?: Partial<RunTime>;
  /** An open data folder, for example in memory. */
  folder?: DataFolder;
  /** How long a finished run waits for a writable database, in ms. */
  storeTimeoutMs?: number;
  /** How long the start waits for the built-in testbed, in ms. */
  readyMs?: number;
  /** Checks every response of the API against its schema. */
  checkAnswers?: boolean;
}

export type Server = Awaited<ReturnType<typeof createServer>>;

/** A server that is accepting requests. */
export interface RunningServer {
  /** For example http://127.0.0.1:8080. */
  address: string;
  port: number;
  /** Start-up messages for the operator. */
  messages: string[];
  stop(): Promise<void>;
}

/**
 * Creates and starts a server. If the configuration does not allow it, rejects with a start failure and
 * leaves nothing behind.
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  const server = await createServer(config, options);
  return server.start();
}

/** Creates every service in the order of dependencies. Nothing listens or runs before `start`. */
export async function createServer(config: Config, options: ServerOptions = {}) {
  const logger = options.logger ?? pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: true }));
  const folder = options.folder ?? openDataFolder(config.dataFolder);
  for (const use of folder.unreadable) {
    logger.warn(`${use}: encrypted with a key other than mqttlab.key, so it must be entered again`);
  }
  const transport = await openTransport(config, {
    onFailure: (error) => logger.error({ err: error }, 'the certificate could not be renewed'),
  }).catch((error: unknown) => {
    folder.close();
    throw error;
  });
  const { server: http } = transport;
  const software = `mqttlab ${config.version}`;
  const time: RunTime = {
    nowMs: Date.now,
    bootId: readBootId(),
    loadClock: systemLoadClock,
    ...options.time,
  };
  const { nowMs } = time;
  const stopping = new AbortController();
  /** Why requests cannot be processed yet; null when the server is ready. */
  const readiness = { missing: 'The server is still starting.' as string | null };
  /** Logs an error; a full disk is logged only once, not on every write. */
  const logError = (error: unknown, text: string): void => {
    if (error instanceof StorageError && folder.watch.trouble() !== null) logger.debug({ err: error }, text);
    else logger.error({ err: error }, text);
  };

  const events = makeServerEvents();
  const stores = makeStores(folder.database, folder.secrets, nowMs);
  const onError = (error: unknown): void => logError(error, 'experiments could not be executed');
  const live = makeLive({ stores, onError, nowMs });
  const gate = makeGate({ stores, rules: accessRulesOf(config), events, nowMs });

  // Devices and runs.
  const results = makeResultService({ stores, live, events, time });
  const local =
    options.localAgents ??
    makeLocalTestbed({
      devices: stores.devices,
      folder: join(config.dataFolder, 'agents'),
      onLog: live.note,
      program: findAgentProgram(),
    });
  const agents = makeAgentHub({
    stores,
    live,
    events,
    storeResult: results.storeResult,
    files: {
      files: stores.runFiles,
      isKept: (runId) => stores.runs.findRun(runId) !== null,
      onLost: ({ runId, name }, reason) =>
        live.note('error', `${name} of run ${runId} is not stored: ${reason} Its other data is complete.`),
      onLater: ({ runId, name }, reason) =>
        live.note('warn', `${name} of run ${runId} is not stored yet; its device still has it. ${reason}`),
    },
    wakeLocalAgents: local.wake,
    nowMs,
  });
  const testbeds = makeTestbeds({ stores, agents, events });
  const remote = makeRemoteDevices({
    stores,
    agents,
    key: () => ensureServerKey(join(config.dataFolder, 'ssh')),
    files: makeRuntimeFiles({
      projectRoot: config.projectRoot,
      cacheFolder: join(config.dataFolder, 'cache'),
    }),
    isInUse: testbeds.isInUse,
    live,
    events,
    nowMs,
  });
  const states = makeDeviceStates({
    isOnline: (deviceId) => agents.findAgent(deviceId) !== null,
    isBusy: (deviceId) => testbeds.isInUse(deviceId) || remote.isWorking(deviceId),
    onContact: (deviceId) => writeIfPossible(() => stores.devices.touchDevice(deviceId)),
    onChange: (deviceId) => void events.emit('device-changed', deviceId),
    nowMs,
  });
  const setup = makeTestbedService({
    devices: stores.devices,
    sshDevices: stores.sshDevices,
    testbeds: stores.testbeds,
    isNeeded: (testbedId) =>
      testbeds.isLeased(testbedId) ||
      stores.experiments.listActiveExperiments().some(({ plan }) => plan?.testbedId === testbedId),
    onChange(testbedId, deviceIds) {
      for (const deviceId of deviceIds) agents.reconnectAgent(deviceId);
      events.emit('testbed-changed', testbedId);
    },
  });
  const imports = makeImportService({
    remoteDevices: remote,
    testbedService: setup,
    testbeds: stores.testbeds,
  });
  const certificates = makeCertificates({ folder: join(config.dataFolder, 'pki'), nowMs });
  const sessions = { agents, certificates, stores, time };
  const scheduler = makeScheduler({
    ...sessions,
    live,
    results,
    testbeds,
    storeTimeoutMs: options.storeTimeoutMs,
  });
  const preflight: Services['devices']['preflight'] = (plan, signal) =>
    runPreflight({ ...sessions, testbeds, states, host: config }, plan, signal);

  // Results, exchange and webhooks.
  const answers = makeAnswerService({ database: folder.database, stores, software });
  const bundles = makeBundleService({
    stores,
    folder: config.dataFolder,
    software,
    testbedFor: (id) => (testbeds.findTestbed(id) ? id : (testbeds.listTestbeds()[0]?.testbedId ?? id)),
    onImported: () => void events.emit('experiment-imported'),
    onError: (error) => logError(error, "a bundle's temporary file could not be removed"),
    nowMs,
  });
  const webhooks = makeWebhookService({
    stores,
    testbeds,
    live,
    ownOrigin: () => originForOthers(config, http) ?? urlAt(http, config.host),
    onWarning: (text) => logger.warn(text),
    onError: (error) => logError(error, 'webhooks failed'),
    nowMs,
  });
  const preparing = startPreparing({
    experiments: stores.experiments,
    answers,
    subscribe: live.subscribe,
    onError: (error, id) =>
      logger.warn({ err: error }, `the report of experiment ${id} could not be computed in advance`),
  });
  let redefining: Redefining | null = null;
  let retention: ReturnType<typeof startRetention> | null = null;

  // Browsers and the API.
  const hosts = hostRulesOf(config);
  const snapshot = (): LiveSnapshot => ({
    active: stores.experiments
      .listActiveExperiments()
      .flatMap(({ id }) => stores.experiments.findExperimentSummary(id) ?? []),
    testbeds: testbeds.listTestbeds(),
    current: live.listCurrentRuns(),
    storage: folder.watch.trouble(),
    log: stores.runs.listRecentLogLines(200),
  });
  const browsers = makeBrowsers({
    bus: live,
    snapshot,
    nowMs,
    refuse(request) {
      const foreign = findForeign(request, hosts);
      if (foreign) return foreign.problem;
      try {
        gate.require({ access: 'viewer', key: 'GET /live' }, request);
        return null;
      } catch (error) {
        if (error instanceof ProblemError) return error.problem;
        throw error;
      }
    },
    mayStay: gate.mayStay,
    onError,
  });
  const services: Services = {
    stores,
    gate,
    live,
    devices: { agents, testbeds, states, remote, setup, imports, certificates, preflight },
    scheduler,
    answers,
    bundles,
    system: {
      version: versionOf(config, nowMs()),
      logger,
      publicOrigin: (reached) => originForLinks(config, http, reached),
      authority: transport.authority,
      now: nowMs,
      diskFreeBytes: folder.freeBytes,
      rotateAuthority: makeAuthorityRotator({ transport, stores, agents, testbeds, remote, local }),
      saveStorageSettings(settings) {
        const saved = stores.storage.saveStorageSettings(settings);
        retention?.wake();
        return saved;
      },
    },
  };
  const app = makeHttpApp({
    services,
    webhooks,
    hosts,
    pageFolder: config.pageFolder,
    findUnready: () => readiness.missing,
    checkAnswers: options.checkAnswers ?? false,
  });
  http.on('request', app.listener);
  /** Agents that connect through an SSH session can only reach their WebSocket on this server. */
  const tunnel = createHttpServer((_request, response) => void response.writeHead(404).end());

  events.on('device-connection', (deviceId, capabilities) => {
    if (capabilities) writeIfPossible(() => stores.devices.saveCapabilities(deviceId, capabilities));
    else states.forgetDevice(deviceId);
    events.emit('device-changed', deviceId);
  });
  events.on('device-health', states.noteHealth);
  events.on('device-changed', (deviceId) => {
    const testbedId = testbeds.findTestbedOf(deviceId);
    if (testbedId !== null) events.emit('testbed-changed', testbedId);
  });
  events.on('testbed-changed', (testbedId) => {
    const data = testbeds.findTestbed(testbedId);
    if (data) live.publish({ event: 'testbed', experimentId: null, runId: null, data });
    scheduler.wake(testbedId);
  });
  events.on('agent-tunnel', (stream) => void tunnel.emit('connection', stream));
  events.on('run-corrected', scheduler.stopNeedless);
  events.on('experiment-imported', () => redefining?.wake());
  events.on('access-changed', browsers.recheck);
  events.on('login-attempt', ({ role, ...attempt }) =>
    role === null
      ? logger.warn(attempt, 'a wrong token or password was received')
      : logger.info({ ...attempt, role }, 'logged in'),
  );
  const stopWatchingStorage = folder.watch.onChange((trouble) => {
    if (trouble) logger.warn(`data cannot be stored: ${trouble.message} ${trouble.remedy}`);
    else logger.info('data can be stored again');
    live.publish({ event: 'storage', experimentId: null, runId: null, data: trouble });
  });
  const freezeShares = (): void => {
    if (readiness.missing !== null) return;
    const onDamaged = (error: unknown) => logger.error({ err: error }, 'a shared link could not be frozen');
    freezeSettledShares({ ...stores, answers }, onDamaged).catch((error: unknown) => {
      // The next visit to a link tries again, even if the server was restarted.
      if (readiness.missing === null) logger.error({ err: error }, 'shared links could not be frozen');
    });
  };
  const stopFreezing = live.subscribe(({ event, data }) => {
    // Runs after the event, because the publisher of the event has not returned yet.
    if (event === 'experiment' && isFinished(data.status)) setImmediate(freezeShares);
  });

  const startDevices = async (): Promise<void> => {
    const certificate = transport.pinned();
    agents.setAuthorities(transport.rotation !== null && certificate !== null ? [certificate] : []);
    local.start(agentAddressOf(http, certificate === null ? [] : [certificate]));
    const urlFor = (address: string) => urlAt(http, address.replace(/^::ffff:/, ''));
    remote.start({ urlAt: (address) => (transport.isOpen ? urlFor(address) : null), pinned: certificate });
    await scheduler.start();
    for (const text of transport.concerns) live.note('warn', text);
    const { readyMs: timeoutMs = 15_000 } = options;
    if (!(await agents.wakeDevices(firstDeviceIds, { timeoutMs, signal: stopping.signal })))
      logger.warn('the built-in testbed is not complete yet');
  };
  const startUpkeep = (): void => {
    redefining = startRedefining(stores, {
      onDone: (count) =>
        logger.info(`${count} stored runs were recomputed with the current metric definitions`),
      onDamaged(runId, error) {
        const reason = error instanceof Error ? error.message : String(error);
        const text = `Run ${runId} could not be recomputed and keeps its figures, because its stored data is damaged: ${reason}`;
        logger.error({ err: error, runId }, text);
        live.note('error', text, { experimentId: stores.runs.findRun(runId)?.experimentId ?? null, runId });
      },
      onError: (error) => logError(error, 'stored runs could not be recomputed'),
      now: nowMs,
    });
    retention = startRetention(stores, {
      onError: (error) => logError(error, 'old series could not be removed'),
    });
  };
  const endings: (() => unknown)[] = [];
  let stopped: Promise<void> | null = null;
  /** Stops everything in order, including the steps after a failed step. Idempotent. */
  const stop = (): Promise<void> => {
    readiness.missing ??= 'The server is stopping.';
    stopping.abort();
    stopped ??= takeEverySteps(
      [
        stopFreezing,
        () => preparing.stop(),
        stopWatchingStorage,
        () => redefining?.stop(),
        () => retention?.stop(),
        () => webhooks.stop(),
        () => answers.stop(),
        () => bundles.stop(),
        () => scheduler.stop(),
        () => remote.stop(),
        () => local.stop(),
        ...endings,
        () => browsers.stop(),
        () => agents.stop(),
        () => closeServer(http),
        () => app.stop(),
        () => transport.stop(),
        () => folder.close(),
      ],
      (error) => logger.error({ err: error }, 'a step of the shutdown failed'),
    );
    return stopped;
  };

  return {
    services,
    events,
    /** HTTP server; does not listen before `start`. */
    http,
    webhooks,
    readiness,
    /** Returns the process id of a built-in agent; null while it is not running. */
    agentPid: local.pidOf,
    /**
     * Starts the server; resolves when the page is usable. Rejects with a start failure, after stopping
     * everything.
     */
    async start(): Promise<RunningServer> {
      try {
        answers.start();
        bundles.start();
        const port = await listen(http, config);
        webhooks.start();
        endings.push(routeUpgrades(http, [agents, browsers]), routeUpgrades(tunnel, [agents]));
        await startDevices();
        readiness.missing = null;
        startUpkeep();
        const address = addressOf(http, config.host, port);
        const others = transport.isOpen ? addressesForOthers(http, { ...config, port }) : [];
        const origin = originForOthers(config, http) ?? address;
        const messages = [
          ...transport.words,
          ...messagesForOthers(others),
          ...firstMessages(config, gate, origin),
        ];
        return { address, port, messages, stop };
      } catch (error) {
        // The first error is reported, not a later one.
        await stop().catch((trouble: unknown) => logger.error({ err: trouble }, 'the shutdown failed'));
        throw error;
      }
    },
    stop,
  };
}

/** Devices in the built-in testbed whose agents run from the start. */
const firstDeviceIds = (localTestbed.devices as readonly DefinedDevice[]).flatMap(({ deviceId, standIn }) =>
  standIn === undefined ? [deviceId] : [],
);

/**
 * Runs every step, even after a step that fails. Rejects with the first error; the other errors are passed to
 * `onError`.
 */
async function takeEverySteps(
  steps: readonly (() => unknown)[],
  onError: (error: unknown) => void,
): Promise<void> {
  let failure: { error: unknown } | null = null;
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      if (failure === null) failure = { error };
      else onError(error);
    }
  }
  if (failure !== null) throw failure.error;
}

/** Returns messages with the addresses for other machines. */
function messagesForOthers(addresses: readonly string[]): string[] {
  return addresses.length === 0 ? [] : [`From other machines, open ${addresses.join(' or ')}`];
}

/**
 * Returns the first messages. Users on other machines must log in; while there is no account, the link
 * creates the first account.
 */
function firstMessages({ loopback, hostnames }: Config, gate: Gate, origin: string): string[] {
  const isReached = !loopback || hostnames.some((name) => !isLoopbackHost(name));
  if (!isReached || gate.hasAdministrator()) return [];
  return [
    `There is no administrator yet. Open this link to create one: ${origin}/log-in#${gate.firstSecret}`,
  ];
}

function accessRulesOf({ adminToken, loopback, transport, proxyHeader }: Config) {
  const proxies = transport.kind === 'proxy' ? transport.addresses : [];
  return { adminToken, loginRequired: !loopback, proxies, proxyHeader };
}

function hostRulesOf({ host, hostnames, loopback }: Config) {
  const own = hostname().toLowerCase();
  return {
    hostnames: [host.toLowerCase(), ...hostnames, ...(loopback ? [] : [own, `${own}.local`])],
    anyAddress: !loopback,
  };
}

function versionOf({ version }: Config, startedAt: number) {
  const { node, openssl } = process.versions;
  return { name: 'mqttlab' as const, version, node, openssl: openssl ?? 'unknown', startedAt };
}
