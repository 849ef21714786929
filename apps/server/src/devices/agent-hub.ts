import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import { brokerKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { Changes, poll } from '@mqttlab/shared/kit/poll';
import { type AgentFrame, agentSocketPath, enrolHeaders } from '@mqttlab/shared/messages/agent';
import {
  agentSettingsHeader,
  type DeviceSettings,
  packDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import { filePartBytes } from '@mqttlab/shared/messages/result-files';
import { maxAgentFrameBytes, resultKeyOf, type SetAside } from '@mqttlab/shared/messages/set-aside';
import { WebSocketServer } from 'ws';
import type { ServerEvents } from '../base/events.ts';
import type { Live } from '../live/live.ts';
import { refuseUpgrade, type UpgradeRequest } from '../live/upgrades.ts';
import type { RunFileKey, RunFileStore } from '../store/runs/run-file-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { Stores } from '../store/stores.ts';
import { AgentConnection, agentLost } from './agent-connection.ts';
import type { AgentLink, DeliveredResult, RunListener } from './agent-link.ts';
import { identifyAgent, makeEnrol } from './agent-tokens.ts';

interface AgentHubOptions {
  stores: Pick<Stores, 'devices' | 'deviceSettings' | 'enrolments' | 'testbeds' | 'runs'>;
  live: Pick<Live, 'log' | 'note' | 'reportError'>;
  events: ServerEvents;
  /**
   * Stores a result. Returns why it can never be stored, or null. If it throws, the device keeps the result
   * and is asked for it again: without limit after a StorageError, otherwise a limited number of times.
   */
  storeResult: (delivered: DeliveredResult) => string | null;
  /** Stores the files next to results. */
  files: Parameters<typeof takeResultFiles>[2];
  /** Starts agents on this machine on demand. */
  wakeLocalAgents?: (deviceIds: readonly string[]) => void;
  nowMs: () => number;
  /** Overrides of intervals, for tests. */
  timing?: {
    pingEveryMs?: number;
    fetchTimeoutMs?: number;
    retryMs?: readonly [number, number];
    /** Interval at which the token of each connection is checked, in ms. */
    recheckEveryMs?: number;
  };
}

export type AgentHub = ReturnType<typeof makeAgentHub>;

/** Creates the WebSocket endpoint for agents, with the devices connected to it. */
export function makeAgentHub(options: AgentHubOptions) {
  const { stores, live, events, timing = {} } = options;
  const { pingEveryMs = 4000, fetchTimeoutMs, retryMs, recheckEveryMs = 5000 } = timing;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxAgentFrameBytes });
  const settingsFor = new WeakMap<object, DeviceSettings>();
  const ownTokens = new WeakMap<object, string>();
  sockets.on('headers', (headers, request) => {
    const settings = settingsFor.get(request);
    if (settings) headers.push(`${agentSettingsHeader}: ${packDeviceSettings(settings)}`);
    const ownToken = ownTokens.get(request);
    if (ownToken) headers.push(`${enrolHeaders.token}: ${ownToken}`);
  });
  const online = new Map<string, AgentConnection>();
  /** A connection that either end is closing counts as offline: frames sent on it do not arrive. */
  const findOpen = (deviceId: string): AgentConnection | null => {
    const connection = online.get(deviceId);
    return connection?.isOpen ? connection : null;
  };
  const announced = new Map<string, AgentCapabilities>();
  const listeners = new Map<number, RunListener>();
  const setAside = new Map<string, readonly SetAside[]>();
  const logLimit = new LogLimit(options.nowMs);
  const newlyOnline = new Changes();
  const refused = new Map<string, number>();
  /** Connections for which a forged report was already logged; each is logged only once. */
  const suspects = new WeakSet<AgentConnection>();
  const tokens = new Map<AgentConnection, string>();
  /** PEM certificates that agents pin; empty if the server has no certificate authority. */
  let authorities: readonly string[] = [];
  const enrol = makeEnrol({
    ...stores,
    isOnline: (deviceId) => findOpen(deviceId) !== null,
    onEnrolled: ({ name }, pool) => live.note('info', `${name} enrolled in pool ${pool}`),
  });

  const takeFrame = (connection: AgentConnection, frame: AgentFrame): void => {
    if (frame.type === 'result') takeResult(connection, frame);
    else if (frame.type === 'set-aside') setAside.set(connection.deviceId, frame.results);
    else if (frame.type === 'health') events.emit('device-health', connection.deviceId, frame.health);
    else if (isForged(connection.deviceId, frame)) refuse(connection, frame);
    else if (frame.type === 'log') takeLog(connection, frame);
    else passToListener(listeners, { deviceId: connection.deviceId, frame });
  };

  const isForged = (deviceId: string, frame: AgentFrame): boolean => {
    const about = aboutRun(frame);
    if (about === null) return false;
    const role = (listeners.get(about.runId)?.participants ?? stores.runs.readRunDevices(about.runId)).get(
      deviceId,
    );
    return role === undefined || (about.role !== null && about.role !== role);
  };
  const countRefused = (type: AgentFrame['type']): void => {
    refused.set(type, (refused.get(type) ?? 0) + 1);
  };
  const refuse = (connection: AgentConnection, { type }: AgentFrame): void => {
    countRefused(type);
    if (suspects.has(connection)) return;
    suspects.add(connection);
    const { name } = connection.identity;
    live.note('warn', `Refused a report (${type}) from ${name}, which does not have that role in the run`);
  };

  const takeLog = (
    { deviceId, identity }: AgentConnection,
    { runId, line }: Extract<AgentFrame, { type: 'log' }>,
  ): void => {
    const { name } = identity;
    const signed = runId !== null && ownParts.has(line.source) ? line : { ...line, source: name };
    for (const taken of logLimit.take({ deviceId, name, runId }, signed)) {
      if (runId === null) live.log(taken);
      else listeners.get(runId)?.onLog(deviceId, taken);
    }
  };

  const takeResult = (connection: AgentConnection, frame: ResultFrame): void => {
    const { key, runId, result } = frame;
    const { deviceId, name } = connection.identity;
    try {
      const refusal =
        key === resultKeyOf({ runId, role: result.role })
          ? options.storeResult({ deviceId, runId, result })
          : `it claims to be a result of run ${runId} in the role ${result.role}`;
      if (refusal === null) {
        takeResultFiles(connection, frame, options.files).catch((error) => live.reportError(error));
      } else refuseResult(connection, key, refusal);
    } catch (error) {
      const isReported =
        error instanceof StorageError
          ? connection.requestResult(key)
          : connection.retryResult(key) !== 'again';
      if (!isReported) return;
      const reason = error instanceof Error ? error.message : String(error);
      live.note('error', `The result ${key} from ${name} was not stored: ${reason} The device keeps it.`);
    }
  };

  const refuseResult = (connection: AgentConnection, key: string, reason: string): void => {
    countRefused('result');
    connection.refuseResult(key, reason);
    live.note(
      'warn',
      `The result ${key} from ${connection.identity.name} was refused and set aside on the device: ${reason}`,
    );
  };

  /**
   * Ends the runs that use a closed connection of this device, or a connection that was replaced before it
   * closed.
   */
  const reportLost = ({ deviceId, identity }: AgentConnection): void => {
    for (const listener of [...listeners.values()]) {
      if (listener.participants.has(deviceId)) listener.onFailure(deviceId, agentLost(identity));
    }
  };

  let stopped = false;
  const connectionEvents = {
    onHello(connection: AgentConnection) {
      const { deviceId, name } = connection.identity;
      const stale = online.get(deviceId);
      online.set(deviceId, connection);
      if (stale && stale !== connection) {
        stale.replace();
        reportLost(connection);
      }
      announced.set(deviceId, connection.capabilities);
      live.note('info', `${name} is online`);
      // An agent that was offline when the authority changed still also trusts the earlier authority.
      if (authorities.length > 0) connection.trust(authorities).catch(() => undefined);
      events.emit('device-connection', deviceId, connection.capabilities);
      newlyOnline.notify();
    },
    onFrame: takeFrame,
    onBadResult: refuseResult,
    onSetAside: (connection: AgentConnection, results: readonly SetAside[]) =>
      void setAside.set(connection.deviceId, results),
    onClose(connection: AgentConnection) {
      tokens.delete(connection);
      const { deviceId, name } = connection.identity;
      if (online.get(deviceId) !== connection) return;
      online.delete(deviceId);
      // The last connections close after the database has closed.
      if (stopped) return;
      live.note('warn', `${name} is offline`);
      events.emit('device-connection', deviceId, null);
      reportLost(connection);
    },
    onFailure(connection: AgentConnection, text: string) {
      live.note('warn', `${connection.identity.name}: ${text}`);
    },
    onError: live.reportError,
  };

  const isStill = (deviceId: string, token: string): boolean => {
    try {
      return identifyAgent(stores.devices, token)?.deviceId === deviceId;
    } catch {
      // A temporary database read error must not close connections or stop the server.
      return true;
    }
  };
  const rechecks = setInterval(() => {
    for (const [connection, token] of tokens) {
      if (!isStill(connection.deviceId, token)) connection.refuse('its token has ended');
    }
  }, recheckEveryMs);
  rechecks.unref();

  return {
    path: agentSocketPath,
    accept({ request, socket, head }: UpgradeRequest): void {
      const given = tokenOf(request.headers.authorization);
      const known = identifyAgent(stores.devices, given);
      const named = String(request.headers[enrolHeaders.name] ?? '');
      const admitted = known ? { identity: known, token: given } : enrol(given, named);
      if (!admitted) {
        refuseUpgrade(socket, unknownToken);
        return;
      }
      if ('detail' in admitted) {
        refuseUpgrade(socket, { status: 409, ...admitted });
        return;
      }
      const { identity, token } = admitted;
      if (!known) ownTokens.set(request, token);
      settingsFor.set(request, stores.deviceSettings.findDeviceSettings(identity.deviceId));
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        const connection = new AgentConnection({
          socket: accepted,
          identity,
          events: connectionEvents,
          pingEveryMs,
          ...(fetchTimeoutMs && { fetchTimeoutMs }),
          ...(retryMs && { retryMs }),
        });
        tokens.set(connection, token);
        connection.start();
      });
    },
    /** Returns the open connection of a device; null while it is offline. */
    findAgent: (deviceId: string): AgentLink | null => findOpen(deviceId),
    /** Returns the last announcement of a device, which may be offline; null if it never connected. */
    findCapabilities: (deviceId: string): AgentCapabilities | null =>
      announced.get(deviceId) ?? stores.devices.findDevice(deviceId)?.capabilities ?? null,
    /** Registers a listener for a run. Returns a function that removes it. */
    listenToRun(runId: number, listener: RunListener): () => void {
      listeners.set(runId, listener);
      return () => void listeners.delete(runId);
    },
    /**
     * Starts the devices that run on demand. Resolves with true when all of these devices are online, with
     * false after `timeoutMs` or when `signal` aborts.
     */
    wakeDevices(
      deviceIds: readonly string[],
      limits: { timeoutMs: number; signal?: AbortSignal },
    ): Promise<boolean> {
      options.wakeLocalAgents?.(deviceIds);
      const areOnline = (): boolean => deviceIds.every((deviceId) => findOpen(deviceId) !== null);
      return poll(areOnline, { changes: newlyOnline, ...limits });
    },
    /** Returns the results that the server refused and the device still stores, as last reported. */
    listSetAside: (deviceId: string): readonly SetAside[] => setAside.get(deviceId) ?? [],
    /**
     * Resolves with a refused result as text; null if it no longer exists or the device is offline. Rejects
     * with Failure.
     */
    fetchSetAside: async (deviceId: string, name: string): Promise<string | null> =>
      (await findOpen(deviceId)?.fetch({ type: 'fetch-set-aside', name })) ?? null,
    /** Sets the certificates (PEM) that agents pin when they next connect. */
    setAuthorities(certificates: readonly string[]): void {
      authorities = certificates;
    },
    /**
     * Requests that every connected agent pin these certificates (PEM). Resolves with the responses;
     * undefined for an agent that did not respond.
     */
    async requestTrust(certificates: readonly string[]): Promise<Map<string, boolean | undefined>> {
      authorities = certificates;
      const answers = [...online].map(async ([deviceId, connection]) => {
        const answer = await connection.trust(certificates).catch(() => undefined);
        return [deviceId, answer] as const;
      });
      return new Map(await Promise.all(answers));
    },
    /** Closes the connection of a device, which then reconnects and receives its changed settings. */
    reconnectAgent(deviceId: string): void {
      online.get(deviceId)?.redial();
    },
    /**
     * Returns the number of reports from agents about runs in which they do not have that role, by kind of
     * report.
     */
    countRefusedReports: (): Readonly<Record<string, number>> => Object.fromEntries(refused),
    stop(): void {
      stopped = true;
      clearInterval(rechecks);
      for (const client of sockets.clients) client.close(1001, 'the server is stopping');
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}

const unknownToken = {
  status: 401,
  detail: 'This token does not belong to a device.',
  remedy: 'Install the agent again, or enrol it with a new token.',
};

function tokenOf(authorization: string | undefined): string {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
}

/** Allowed sources of an agent's log lines in a run; other lines get the device's name as their source. */
const ownParts = new Set(['agent', 'load', 'mirror', 'bridge', ...brokerKinds]);

/** Returns the run and role that a frame reports about; null for frames that respond to the server. */
function aboutRun(frame: AgentFrame): { runId: number; role: Role | null } | null {
  if (frame.type === 'phase' || frame.type === 'trouble') return { runId: frame.runId, role: frame.role };
  if (frame.type === 'progress') return { runId: frame.runId, role: frame.progress.role };
  if (frame.type === 'log' && frame.runId !== null) return { runId: frame.runId, role: null };
  return null;
}

function passToListener(
  listeners: ReadonlyMap<number, RunListener>,
  { deviceId, frame }: { deviceId: string; frame: AgentFrame },
): void {
  const runId = 'runId' in frame ? frame.runId : null;
  const listener = runId === null ? undefined : listeners.get(runId);
  if (frame.type === 'phase') {
    const { role, phase, durationUs } = frame;
    listener?.onPhase({ role, deviceId, phase, durationUs });
  }
  if (frame.type === 'progress') listener?.onProgress({ ...frame.progress, deviceId });
  if (frame.type === 'trouble') listener?.onFailure(deviceId, frame.error);
}

/** Burst limit of a device's log lines, and rate limit per second. */
const [burst, perSecond] = [200, 10];
/** Maximum number of lines that are accepted from one device in one run. */
const maxOfRun = 1_000;
/** Maximum number of runs that are counted at a time; finished runs send no more lines. */
const maxRuns = 200;
/** Longer texts are truncated. */
const [maxText, maxSource] = [4_000, 100];

interface Allowance {
  lines: number;
  at: number;
  leftOut: number;
}

/** Limits the log lines of devices, so that a program that repeats itself cannot fill the database. */
export class LogLimit {
  readonly #nowMs: () => number;
  readonly #devices = new Map<string, Allowance>();
  readonly #runs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Returns the lines to log: the given line, shortened if it is long, and a note of how many lines were
   * omitted.
   */
  take(from: { deviceId: string; name: string; runId: number | null }, line: LogLine): LogLine[] {
    const { deviceId, name, runId } = from;
    const cut = { ...line, text: line.text.slice(0, maxText), source: line.source.slice(0, maxSource) };
    const say = (text: string): LogLine => ({ at: line.at, level: 'warn', source: 'server', text });
    const allowance = this.#refill(deviceId);
    if (allowance.lines < 1) {
      allowance.leftOut += 1;
      if (allowance.leftOut > 1) return [];
      return [say(`${name} logs more than ${perSecond} lines per second; excess lines are dropped`)];
    }
    const inRun = runId === null ? 0 : this.#countInRun(`${deviceId} ${runId}`);
    if (inRun > maxOfRun + 1) return [];
    if (inRun === maxOfRun + 1)
      return [say(`${name} logged ${maxOfRun} lines in run ${runId}; later lines are dropped`)];
    allowance.lines -= 1;
    const { leftOut } = allowance;
    allowance.leftOut = 0;
    return [...(leftOut > 0 ? [say(`${leftOut} lines from ${name} were dropped here`)] : []), cut];
  }

  #refill(deviceId: string): Allowance {
    const now = this.#nowMs();
    const allowance = this.#devices.get(deviceId) ?? { lines: burst, at: now, leftOut: 0 };
    const passedMs = Math.max(0, now - allowance.at);
    allowance.lines = Math.min(burst, allowance.lines + (passedMs / 1000) * perSecond);
    allowance.at = now;
    this.#devices.set(deviceId, allowance);
    return allowance;
  }

  #countInRun(key: string): number {
    const count = (this.#runs.get(key) ?? 0) + 1;
    this.#runs.delete(key);
    this.#runs.set(key, count);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > maxRuns && oldest !== undefined) this.#runs.delete(oldest);
    return count;
  }
}

export type ResultFrame = Extract<AgentFrame, { type: 'result' }>;

interface FilesOptions {
  files: Pick<RunFileStore, 'hasRunFile' | 'saveFilePart' | 'removeRunFile'>;
  /** Returns true if this run is stored; probes are not. */
  isKept: (runId: number) => boolean;
  /** Called for a file that does not exist on its device or is too large; no part of it is stored. */
  onLost: (key: RunFileKey, reason: string) => void;
  /** Called for a file that currently could not be stored; its device keeps the file. */
  onLater: (key: RunFileKey, reason: string) => void;
}

/**
 * Fetches the files next to a stored result, then acknowledges the result. The device then deletes its
 * copies, so the acknowledgement is only sent if every file is stored or known not to exist. After any other
 * error the result is requested again. Never rejects.
 */
async function takeResultFiles(
  connection: AgentConnection,
  { key, runId, result }: ResultFrame,
  { files, isKept, onLost, onLater }: FilesOptions,
): Promise<void> {
  if (!connection.beginFiles(key)) return;
  let file: RunFileKey | null = null;
  try {
    for (const { name } of isKept(runId) ? (result.files ?? []) : []) {
      file = { runId, deviceId: connection.deviceId, name };
      if (files.hasRunFile(file)) continue;
      const reason = await fetchFile(connection, { key, file, files });
      if (reason !== null) onLost(file, reason);
    }
    connection.acknowledge(key);
  } catch (error) {
    // A device that disconnected sends its result again when it reconnects.
    if (!connection.isOpen) return;
    const reason = error instanceof Error ? error.message : String(error);
    const report = (next: string) => file && onLater(file, `${reason} ${next}`);
    if (error instanceof StorageError) {
      // A disk error is not caused by this result, which is requested until there is space.
      if (connection.requestResult(key)) report('It will be fetched again when the database can be written.');
      return;
    }
    const attempt = connection.retryResult(key);
    if (attempt === 'first') report('It will be fetched again.');
    if (attempt === 'last') report('It will be fetched again when the device reconnects.');
  } finally {
    connection.endFiles(key);
  }
}

/**
 * Resolves with null if the file is stored, otherwise with the reason why it never can be. Rejects with
 * Failure or StorageError.
 */
async function fetchFile(
  connection: AgentConnection,
  { key, file, files }: { key: string; file: RunFileKey; files: FilesOptions['files'] },
): Promise<string | null> {
  for (let part = 0; part * filePartBytes <= maxCaptureBytes; part += 1) {
    const text = await connection.fetch({
      type: 'fetch-file',
      key,
      name: file.name,
      offset: part * filePartBytes,
    });
    if (text === null) return 'the device no longer has it.';
    const bytes = Buffer.from(text, 'base64');
    const isLast = bytes.length < filePartBytes;
    files.saveFilePart(file, { part, bytes, isLast });
    if (isLast) return null;
  }
  files.removeRunFile(file);
  return 'it is larger than allowed.';
}
