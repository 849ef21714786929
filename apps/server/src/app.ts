import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isFinished } from '@mqttlab/shared/domain/runs/experiment';
import pino, { type Logger } from 'pino';
import { finishRun } from './analysis/finish-run.ts';
import { type Redefining, startRedefining } from './analysis/redefine-runs.ts';
import { makeReportService } from './analysis/report/report-service.ts';
import { freezeSettledShares } from './analysis/shares/freeze-shares.ts';
import { makeBundleService } from './bundle/bundle-service.ts';
import type { Config } from './config.ts';
import { ProblemError } from './errors.ts';
import { makeGate } from './http/guards/gate.ts';
import { findForeign } from './http/guards/guards.ts';
import { makeHttpApp } from './http/http-app.ts';
import { type LabOptions, makeLab } from './lab.ts';
import { addressOf, closeServer, listen, ownOrigin } from './listen.ts';
import { isLoopbackHost } from './loopback.ts';
import { StartError } from './start-error.ts';
import { openDataFolder } from './store/data-folder.ts';
import { makeExperimentStore } from './store/experiments/experiment-store.ts';
import { makeStudyStore } from './store/experiments/study-store.ts';
import { makeRunStore } from './store/runs/run-store.ts';
import { makeBrokerStore } from './store/settings/broker-store.ts';
import { makeDeviceSettingsStore } from './store/settings/device-settings-store.ts';
import { makeDeviceStore } from './store/settings/device-store.ts';
import { makeShareStore } from './store/settings/share-store.ts';
import { makeSshDeviceStore } from './store/settings/ssh-device-store.ts';
import { makeTestbedStore } from './store/settings/testbed-store.ts';
import { makeTokenStore } from './store/settings/token-store.ts';
import { makeViewStore } from './store/settings/view-store.ts';
import { makeWebhookStore } from './store/settings/webhook-store.ts';
import { StorageError } from './store/storage-error.ts';
import { makeWebhookService } from './webhooks/webhook-service.ts';

export interface RunningApp {
  /** http://127.0.0.1:8080 */
  address: string;
  port: number;
  stop(): Promise<void>;
}

export interface AppOptions {
  /** Other agents than the three on this machine: for tests. */
  localAgents?: LabOptions['localAgents'];
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
  const experiments = makeExperimentStore(database);
  const runs = makeRunStore(database);
  const devices = makeDeviceStore(database);
  const sshDevices = makeSshDeviceStore(database);
  const brokers = makeBrokerStore(database, { secrets });
  const shares = makeShareStore(database);
  const views = makeViewStore(database);
  const studies = makeStudyStore(database);
  const deviceSettings = makeDeviceSettingsStore(database);
  const tokens = makeTokenStore(database);
  const { adminToken, loopback } = config;
  const gate = makeGate({
    tokens,
    adminToken,
    loginRequired: !loopback,
    onAttempt: ({ role, ...attempt }) =>
      role === null
        ? logger.warn(attempt, 'a wrong token was shown')
        : logger.info({ ...attempt, role }, 'logged in'),
  });
  const reports = makeReportService({ experiments, runs }, `mqttlab ${config.version}`);
  const bundles = makeBundleService({
    database,
    stores: { experiments, runs },
    reports,
    keyPath: join(config.dataFolder, 'pki', 'bundle-key.pem'),
    importFolder: join(config.dataFolder, 'imports'),
    software: `mqttlab ${config.version}`,
    testbedFor: (id) => (lab.testbeds.find(id) ? id : (lab.testbeds.list()[0]?.testbedId ?? id)),
    now: Date.now,
  });
  const hosts = hostRules(config);
  let ready = false;
  // A disk that takes nothing is told once, not with every write.
  const noteTrouble = (error: unknown, what: string): void => {
    if (error instanceof StorageError && folder.watch.trouble() !== null) logger.debug({ err: error }, what);
    else logger.error({ err: error }, what);
  };

  const lab = makeLab({
    experiments,
    runs,
    devices,
    deviceSettings,
    sshDevices,
    testbedStore: makeTestbedStore(database),
    projectRoot: config.projectRoot,
    version: config.version,
    ...(loopback ? {} : { openTo: config.host }),
    brokers,
    finishRun: (runId) => void finishRun({ experiments, runs }, runId),
    dataFolder: config.dataFolder,
    refuseViewer: (request) => {
      const foreign = findForeign(request, hosts);
      if (foreign) return foreign.problem;
      try {
        gate.require('viewer', request);
        return null;
      } catch (error) {
        if (error instanceof ProblemError) return error.problem;
        throw error;
      }
    },
    storageTrouble: folder.watch.trouble,
    onTrouble: (error) => noteTrouble(error, 'trouble while carrying experiments out'),
    mayStay: gate.mayStay,
    ...(options.localAgents ? { localAgents: options.localAgents } : {}),
  });
  const stopTellingStorage = folder.watch.onChange((trouble) => {
    if (trouble) logger.warn(`nothing can be kept: ${trouble.message} ${trouble.remedy}`);
    else logger.info('the data can be written again');
    lab.bus.publish({ event: 'storage', experimentId: null, runId: null, data: trouble });
  });
  const freeze = (): void => {
    if (!ready) return;
    freezeSettledShares({ experiments, runs, shares, studies, reports }).catch((error: unknown) => {
      // The next visit of a link tries again, also where the server stopped meanwhile.
      if (ready) logger.error({ err: error }, 'shared links could not be frozen');
    });
  };
  const stopFreezing = lab.bus.subscribe(({ event, data }) => {
    if (event !== 'experiment' || !isFinished(data.status)) return;
    // Not inside the event: whoever told it has not returned yet.
    setImmediate(freeze);
  });
  const webhooks = makeWebhookService({
    store: makeWebhookStore(database, { secrets }),
    experiments,
    testbeds: lab.testbeds,
    subscribe: lab.bus.subscribe,
    ownOrigin: () => ownOrigin(config, server),
    onWarning: (text) => logger.warn(text),
    onTrouble: (error) => noteTrouble(error, 'trouble with webhooks'),
    nowMs: Date.now,
  });
  const http = makeHttpApp({
    parts: {
      experiments,
      runs,
      devices,
      deviceSettings,
      brokers,
      shares,
      tokens,
      views,
      studies,
      reports,
      bundles,
      gate,
      logger,
      webhooks,
      testbeds: lab.testbeds,
      deviceStates: lab.deviceStates,
      remoteDevices: lab.remoteDevices,
      importService: lab.importService,
      redial: lab.redial,
      setAside: lab.setAside,
      recheckViewers: lab.recheckViewers,
      refusedReports: lab.refusedReports,
      testbedService: lab.testbedService,
      conductor: lab.conductor,
      bus: lab.bus,
      preflight: lab.preflight.check,
      version: versionOf(config, startedAt),
      diskFreeBytes: folder.freeBytes,
      now: Date.now,
    },
    hosts,
    pageFolder: config.pageFolder,
    findUnready: () => (ready ? null : 'The server is still starting.'),
  });
  const server = createServer(http.listener);

  let redefining: Redefining | null = null;
  const stop = async (): Promise<void> => {
    ready = false;
    stopFreezing();
    stopTellingStorage();
    await redefining?.stop();
    await webhooks.stop();
    reports.stop();
    await lab.stop();
    await closeServer(server);
    http.stop();
    folder.close();
  };
  try {
    bundles.start();
    requireToken(config, tokens.countAdministrators());
    const port = await listen(server, config);
    webhooks.start();
    await lab.start(server);
    if (!(await lab.whenReady(options.readyMs ?? 15_000)))
      logger.warn('the built-in testbed is not complete yet');
    ready = true;
    redefining = startRedefining(
      { experiments, runs },
      {
        onDone: (count) =>
          logger.info(`${count} stored runs were computed anew by the present definitions of metrics`),
        onError: (error) => logger.error({ err: error }, 'stored runs could not be computed anew'),
        now: Date.now,
      },
    );
    return { address: addressOf(config.host, port), port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whoever can reach the server from elsewhere must log in, so there must be something to log in with. */
function requireToken({ host, loopback, hostnames, adminToken }: Config, administrators: number): void {
  const elsewhere = hostnames.find((name) => !isLoopbackHost(name));
  if ((loopback && elsewhere === undefined) || adminToken !== null || administrators > 0) return;
  const [what, instead] = loopback
    ? [`MQTTLAB_HOSTNAMES=${elsewhere}`, 'leave MQTTLAB_HOSTNAMES out']
    : [`HOST=${host}`, 'leave HOST at 127.0.0.1'];
  throw new StartError(
    `${what} opens mqttlab to other machines, and there is no administrator token yet.`,
    `Set MQTTLAB_ADMIN_TOKEN, or make one with "npm run mqttlab -- token create", or ${instead}.`,
  );
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
