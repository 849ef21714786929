import { hostname } from 'node:os';
import { join } from 'node:path';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import pino, { type Logger } from 'pino';
import { type Gate, makeGate } from './api/guards/gate.ts';
import { findForeign } from './api/guards/guards.ts';
import { makeHttpApp } from './api/http-app.ts';
import { type Config, isLoopbackHost } from './base/config.ts';
import { ProblemError } from './base/errors.ts';
import { runAllSteps } from './base/run-all-steps.ts';
import { makeBundleService } from './exchange/bundle-service.ts';
import { makeAuthorityRotator } from './provisioning/rotate-authority.ts';
import { makeAnswerService } from './results/answer-service.ts';
import { freezeSettledShares, startPreparing } from './results/background-answers.ts';
import { finishRun } from './results/finish-run.ts';
import { type Redefining, startRedefining, startRetention } from './results/upkeep.ts';
import { openDataFolder } from './store/data-folder.ts';
import { StorageError } from './store/storage-error.ts';
import { makeStores } from './stores.ts';
import { makeTestbedRuntime, type TestbedRuntimeOptions } from './testbed-runtime.ts';
import { addressesForOthers, addressOf, closeServer, listen, openTransport, ownOrigin } from './transport.ts';
import { makeWebhookService } from './webhooks/webhook-service.ts';

export interface RunningApp {
  /** http://127.0.0.1:8080 */
  address: string;
  port: number;
  /** What the person who starts the server also has to know. */
  words: string[];
  stop(): Promise<void>;
}

interface AppOptions {
  /** Other agents than the three on this machine: for tests. */
  localAgents?: TestbedRuntimeOptions['localAgents'];
  logger?: Logger;
  /** The built-in testbed is waited for this long before the server says it is ready. */
  readyMs?: number;
}

/**
 * Constructs and starts everything; resolves when the page can be used. Rejects with StartError where the
 * configuration does not allow it, and then leaves nothing behind.
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<RunningApp> {
  const logger = options.logger ?? pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: true }));
  const startedAt = Date.now();
  const folder = openDataFolder(config.dataFolder);
  const { database, secrets, unreadable } = folder;
  for (const use of unreadable) {
    logger.warn(`${use}: sealed with another key than mqttlab.key, so that it has to be given again`);
  }
  const stores = makeStores(database, secrets);
  const { experiments, runs } = stores;
  const { adminToken, loopback } = config;
  const transport = await openTransport(config, {
    onTrouble: (error) => logger.error({ err: error }, 'the certificate could not be renewed'),
  }).catch((error: unknown) => {
    folder.close();
    throw error;
  });
  const { server } = transport;
  const proxies = config.transport.kind === 'proxy' ? config.transport.addresses : [];
  const gate = makeGate({
    ...stores,
    adminToken,
    proxies,
    proxyHeader: config.proxyHeader,
    loginRequired: !loopback,
    onAttempt: ({ role, ...attempt }) =>
      role === null
        ? logger.warn(attempt, 'a wrong token or password was shown')
        : logger.info({ ...attempt, role }, 'logged in'),
  });
  let redefining: Redefining | null = null;
  const software = `mqttlab ${config.version}`;
  const answers = makeAnswerService({ database, stores, software });
  const bundles = makeBundleService({
    database,
    stores,
    keyPath: join(config.dataFolder, 'pki', 'bundle-key.pem'),
    workFolder: join(config.dataFolder, 'bundles'),
    software,
    onTrouble: (error) => noteTrouble(error, 'a temporary file of a bundle could not be removed'),
    onImported: () => redefining?.wake(),
    signerOf: stores.signers.nameOf,
    testbedFor: (id) => (runtime.testbeds.find(id) ? id : (runtime.testbeds.list()[0]?.testbedId ?? id)),
    now: Date.now,
  });
  const hosts = hostRules(config);
  let ready = false;
  let retention: ReturnType<typeof startRetention> | null = null;
  // A full disk is reported once, not with every write.
  const noteTrouble = (error: unknown, what: string): void => {
    if (error instanceof StorageError && folder.watch.trouble() !== null) logger.debug({ err: error }, what);
    else logger.error({ err: error }, what);
  };
  const noteDamage = (runId: number, error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `Run ${runId} could not be recomputed and keeps its figures, because what is stored of it is damaged: ${reason}`;
    logger.error({ err: error, runId }, text);
    runtime.note('error', text, { experimentId: runs.find(runId)?.experimentId ?? null, runId });
  };

  const runtime = makeTestbedRuntime({
    stores,
    projectRoot: config.projectRoot,
    version: config.version,
    isOpen: transport.isOpen,
    pinned: transport.pinned,
    hasAuthority: transport.rotation !== null,
    finishRun: (runId) => void finishRun(stores, runId),
    dataFolder: config.dataFolder,
    refuseViewer: (request) => {
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
    storageTrouble: folder.watch.trouble,
    onTrouble: (error) => noteTrouble(error, 'experiments could not be carried out'),
    mayStay: gate.mayStay,
    ...(options.localAgents ? { localAgents: options.localAgents } : {}),
  });
  const stopWatchingStorage = folder.watch.onChange((trouble) => {
    if (trouble) logger.warn(`nothing can be kept: ${trouble.message} ${trouble.remedy}`);
    else logger.info('the data can be written again');
    runtime.bus.publish({ event: 'storage', experimentId: null, runId: null, data: trouble });
  });
  const freeze = (): void => {
    if (!ready) return;
    const noteDamaged = (error: unknown) => logger.error({ err: error }, 'a shared link could not be frozen');
    freezeSettledShares({ ...stores, answers }, noteDamaged).catch((error: unknown) => {
      // The next visit of a link tries again, also where the server stopped meanwhile.
      if (ready) logger.error({ err: error }, 'shared links could not be frozen');
    });
  };
  const stopFreezing = runtime.bus.subscribe(({ event, data }) => {
    if (event !== 'experiment' || !isFinished(data.status)) return;
    // Not inside the event: its sender has not returned yet.
    setImmediate(freeze);
  });
  const preparing = startPreparing({
    experiments,
    answers,
    subscribe: runtime.bus.subscribe,
    onError: (error, id) =>
      logger.warn({ err: error }, `the report of experiment ${id} could not be computed ahead`),
  });
  const webhooks = makeWebhookService({
    store: stores.webhooks,
    experiments,
    testbeds: runtime.testbeds,
    subscribe: runtime.bus.subscribe,
    ownOrigin: () => ownOrigin(config, server),
    onWarning: (text) => logger.warn(text),
    onTrouble: (error) => noteTrouble(error, 'trouble with webhooks'),
    nowMs: Date.now,
  });
  const http = makeHttpApp({
    parts: {
      experiments,
      runs,
      runFiles: stores.runFiles,
      devices: stores.devices,
      deviceSettings: stores.deviceSettings,
      enrolments: stores.enrolments,
      brokers: stores.brokers,
      externalDevices: stores.externalDevices,
      certificates: runtime.certificates,
      shares: stores.shares,
      tokens: stores.tokens,
      accounts: stores.accounts,
      sessions: stores.sessions,
      changes: stores.changes,
      views: stores.views,
      studies: stores.studies,
      idempotency: stores.idempotency,
      knownSecrets: stores.knownSecrets,
      storage: {
        ...stores.storage,
        saveSettings(values) {
          const saved = stores.storage.saveSettings(values);
          retention?.wake();
          return saved;
        },
      },
      answers,
      signers: stores.signers,
      bundles,
      gate,
      logger,
      webhooks,
      testbeds: runtime.testbeds,
      deviceStates: runtime.deviceStates,
      remoteDevices: runtime.remoteDevices,
      importService: runtime.importService,
      redial: runtime.redial,
      setAside: runtime.setAside,
      recheckViewers: runtime.recheckViewers,
      rotateAuthority: makeAuthorityRotator({ transport, runtime, stores }),
      refusedReports: runtime.refusedReports,
      testbedService: runtime.testbedService,
      conductor: runtime.conductor,
      bus: runtime.bus,
      preflight: runtime.preflight.check,
      version: versionOf(config, startedAt),
      diskFreeBytes: folder.freeBytes,
      now: Date.now,
    },
    hosts,
    pageFolder: config.pageFolder,
    findUnready: () => (ready ? null : 'The server is still starting.'),
  });
  server.on('request', http.listener);

  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    ready = false;
    stopping ??= runAllSteps(
      [
        stopFreezing,
        () => preparing.stop(),
        stopWatchingStorage,
        () => redefining?.stop(),
        () => retention?.stop(),
        () => webhooks.stop(),
        () => answers.stop(),
        () => bundles.stop(),
        () => runtime.stop(),
        () => closeServer(server),
        () => http.stop(),
        () => transport.stop(),
        () => folder.close(),
      ],
      (error) => logger.error({ err: error }, 'a step of the shutdown failed'),
    );
    return stopping;
  };
  try {
    answers.start();
    bundles.start();
    const port = await listen(server, config);
    webhooks.start();
    await runtime.start(server);
    for (const text of transport.concerns) runtime.note('warn', text);
    if (!(await runtime.whenReady(options.readyMs ?? 15_000)))
      logger.warn('the built-in testbed is not complete yet');
    ready = true;
    redefining = startRedefining(stores, {
      onDone: (count) =>
        logger.info(`${count} stored runs were recomputed by the present definitions of metrics`),
      onDamaged: noteDamage,
      onError: (error) => noteTrouble(error, 'stored runs could not be recomputed'),
      now: Date.now,
    });
    retention = startRetention(stores, {
      onError: (error) => noteTrouble(error, 'old series could not be removed'),
    });
    const address = addressOf(server, config.host, port);
    const others = transport.isOpen ? addressesForOthers(server, { ...config, port }) : [];
    const origin = ownOrigin(config, server) ?? others[0] ?? address;
    const words = [...transport.words, ...wordsForOthers(others), ...firstWords(config, gate, origin)];
    return { address, port, words, stop };
  } catch (error) {
    // What kept the server from starting is what counts.
    await stop().catch((trouble: unknown) => logger.error({ err: trouble }, 'the shutdown failed'));
    throw error;
  }
}

/** Announces the addresses for other machines. */
function wordsForOthers(addresses: readonly string[]): string[] {
  return addresses.length === 0 ? [] : [`From other machines, open ${addresses.join(' or ')}`];
}

/** Users who reach the server from elsewhere must log in; while there is no account, the link creates the first. */
function firstWords({ loopback, hostnames }: Config, gate: Gate, origin: string): string[] {
  const isReached = !loopback || hostnames.some((name) => !isLoopbackHost(name));
  if (!isReached || gate.hasAdministrator()) return [];
  return [`There is no administrator yet. Open this link to make one: ${origin}/log-in#${gate.firstSecret}`];
}

function hostRules({ host, hostnames, loopback }: Config) {
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
