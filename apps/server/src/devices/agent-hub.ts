import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { brokerKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { type AgentFrame, agentSocketPath, enrolHeaders } from '@mqttlab/shared/messages/agent';
import {
  agentSettingsHeader,
  type DeviceSettings,
  packDeviceSettings,
} from '@mqttlab/shared/messages/device-settings';
import { maxAgentFrameBytes, resultKeyOf, type SetAside } from '@mqttlab/shared/messages/set-aside';
import { WebSocketServer } from 'ws';
import { refuseUpgrade, type SocketEndpoint } from '../live/upgrades.ts';
import { StorageError } from '../store/storage-error.ts';
import { AgentConnection, agentLost } from './agent-connection.ts';
import type { AgentIdentity, Agents, DeliveredResult, RunListener } from './agent-link.ts';
import type { Enrolled } from './agent-tokens.ts';
import { LogLimit } from './log-limit.ts';
import { type ResultFrame, takeResultFiles } from './result-files.ts';

interface AgentHubOptions {
  identify: (token: string) => AgentIdentity | null;
  /** Takes in an agent that comes with an enrolment token; null for a token that is none. */
  enrol?: (token: string, name: string) => Enrolled | null;
  /** What was said about a device; its agent hears of it with the handshake. */
  settingsOf?: (deviceId: string) => DeviceSettings;
  /**
   * Stores a result; why it never will be, in words, or null. After an error the device keeps it and it is asked for
   * again: without end while the disk takes nothing (StorageError), a limited number of times otherwise.
   */
  storeResult: (delivered: DeliveredResult) => string | null;
  /** Takes what lies beside results. */
  files: Parameters<typeof takeResultFiles>[2];
  /** Who takes or took part in a Run that nobody listens to any more. */
  devicesOf: (runId: number) => ReadonlyMap<string, Role>;
  /** A device came, with what it announced, or went (null). */
  onChange: (deviceId: string, capabilities: AgentCapabilities | null) => void;
  /** How a device is, every few seconds while no Run goes on there. */
  onHealth: (deviceId: string, health: DeviceHealth) => void;
  /** PEM certificates that agents pin; empty if the server has no authority of its own. */
  authorities?: () => readonly string[];
  /** A line that belongs to no Run. */
  onLog: (line: LogLine) => void;
  /** Something of the server itself failed, such as its disk. */
  onError?: (error: unknown) => void;
  nowMs: () => number;
  pingEveryMs?: number;
  fetchTimeoutMs?: number;
  retryMs?: readonly [number, number];
  /** How often it is looked whether the token of each connection is still one. */
  recheckEveryMs?: number;
}

interface AgentHub extends Agents, SocketEndpoint {
  /** Results that the server refused and the device keeps, as it told them last. */
  setAsideOf(deviceId: string): readonly SetAside[];
  /** One of them, as a text; null where it is gone or the device is offline. Rejects with AgentError. */
  fetchSetAside(deviceId: string, name: string): Promise<string | null>;
  /** Closes the connection of a device, which dials again and is then what the server knows of it now. */
  drop(deviceId: string): void;
  /** Has every connected agent pin these certificates (PEM). Returns the answers; undefined for an agent without one. */
  trust(authorities: readonly string[]): Promise<Map<string, boolean | undefined>>;
  /** How many reports were refused because the device takes no part in that Run, or not in that role; by kind. */
  refusedReports(): Readonly<Record<string, number>>;
  stop(): void;
}

/** The WebSocket that agents dial, and the devices behind it. */
export function makeAgentHub(options: AgentHubOptions): AgentHub {
  const { pingEveryMs = 4000 } = options;
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
  /** A connection that is being closed, by either end, is offline: nothing that is sent on it arrives. */
  const findOpen = (deviceId: string): AgentConnection | null => {
    const connection = online.get(deviceId);
    return connection?.isOpen ? connection : null;
  };
  const announced = new Map<string, AgentCapabilities>();
  const listeners = new Map<number, RunListener>();
  const setAside = new Map<string, readonly SetAside[]>();
  const logLimit = new LogLimit(options.nowMs);
  const onlineWaiters = new Set<() => void>();
  const refused = new Map<string, number>();
  /** Connections that were named in the log once: a forger fills nobody's log. */
  const suspects = new WeakSet<AgentConnection>();
  const tokens = new Map<AgentConnection, string>();
  const log = (level: LogLine['level'], source: string, text: string): void =>
    options.onLog({ at: options.nowMs(), level, source, text });

  const takeFrame = (connection: AgentConnection, frame: AgentFrame): void => {
    if (frame.type === 'result') takeResult(connection, frame);
    else if (frame.type === 'set-aside') setAside.set(connection.deviceId, frame.results);
    else if (frame.type === 'health') options.onHealth(connection.deviceId, frame.health);
    else if (isForged(connection.deviceId, frame)) refuse(connection, frame);
    else if (frame.type === 'log') takeLog(connection, frame);
    else passToListener(listeners, { deviceId: connection.deviceId, frame });
  };

  const isForged = (deviceId: string, frame: AgentFrame): boolean => {
    const about = aboutRun(frame);
    if (about === null) return false;
    const role = (listeners.get(about.runId)?.participants ?? options.devicesOf(about.runId)).get(deviceId);
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
    log('warn', 'server', `${name} reported on a run in which it does not have that role (${type}); refused`);
  };

  const takeLog = (
    { deviceId, identity }: AgentConnection,
    { runId, line }: Extract<AgentFrame, { type: 'log' }>,
  ): void => {
    const { name } = identity;
    const signed = runId !== null && ownParts.has(line.source) ? line : { ...line, source: name };
    for (const taken of logLimit.take({ deviceId, name, runId }, signed)) {
      if (runId === null) options.onLog(taken);
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
          : `it says that it is a result of run ${runId} as ${result.role}`;
      if (refusal === null) {
        takeResultFiles(connection, frame, options.files).catch((error) => options.onError?.(error));
      } else refuseResult(connection, key, refusal);
    } catch (error) {
      const isReported =
        error instanceof StorageError ? connection.oweResult(key) : connection.retryResult(key) !== 'again';
      if (!isReported) return;
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'server', `The result ${key} of ${name} was not stored: ${reason} The device keeps it.`);
    }
  };

  const refuseResult = (connection: AgentConnection, key: string, reason: string): void => {
    countRefused('result');
    connection.refuseResult(key, reason);
    log(
      'warn',
      'server',
      `The result ${key} of ${connection.identity.name} is refused and set aside there: ${reason}`,
    );
  };

  /** Ends the runs that use a connection of this device which is closed, or replaced before it was closed. */
  const reportLost = ({ deviceId, identity }: AgentConnection): void => {
    for (const listener of [...listeners.values()]) {
      if (listener.participants.has(deviceId)) listener.onTrouble(deviceId, agentLost(identity));
    }
  };

  let stopped = false;
  const events = {
    onHello(connection: AgentConnection) {
      const { deviceId, name } = connection.identity;
      const stale = online.get(deviceId);
      online.set(deviceId, connection);
      if (stale && stale !== connection) {
        stale.replace();
        reportLost(connection);
      }
      announced.set(deviceId, connection.capabilities);
      log('info', 'server', `${name} is online`);
      // An agent that was offline when the authority changed still trusts the earlier one as well.
      const authorities = options.authorities?.() ?? [];
      if (authorities.length > 0) connection.trust(authorities).catch(() => undefined);
      options.onChange(deviceId, connection.capabilities);
      for (const check of [...onlineWaiters]) check();
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
      // The last connections close when nobody listens any more and the database is closed.
      if (stopped) return;
      log('warn', 'server', `${name} is offline`);
      options.onChange(deviceId, null);
      reportLost(connection);
    },
    onTrouble(connection: AgentConnection, text: string) {
      log('warn', 'server', `${connection.identity.name}: ${text}`);
    },
    onError: (error: unknown) => options.onError?.(error),
  };

  const isStill = (deviceId: string, token: string): boolean => {
    try {
      return options.identify(token)?.deviceId === deviceId;
    } catch {
      // A database that cannot be read for a moment closes no connection and ends no server.
      return true;
    }
  };
  const rechecks = setInterval(() => {
    for (const [connection, token] of tokens) {
      if (!isStill(connection.deviceId, token)) connection.refuse('its token has ended');
    }
  }, options.recheckEveryMs ?? 5000);
  rechecks.unref();

  return {
    path: agentSocketPath,
    accept({ request, socket, head }) {
      const given = tokenOf(request.headers.authorization);
      const known = options.identify(given);
      const named = String(request.headers[enrolHeaders.name] ?? '');
      const admitted = known ? { identity: known, token: given } : options.enrol?.(given, named);
      if (!admitted) return refuseUpgrade(socket, unknownToken);
      if ('detail' in admitted) return refuseUpgrade(socket, { status: 409, ...admitted });
      const { identity, token } = admitted;
      if (!known) ownTokens.set(request, token);
      const settings = options.settingsOf?.(identity.deviceId);
      if (settings) settingsFor.set(request, settings);
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        const { fetchTimeoutMs, retryMs } = options;
        const connection = new AgentConnection({
          socket: accepted,
          identity,
          events,
          pingEveryMs,
          ...(fetchTimeoutMs && { fetchTimeoutMs }),
          ...(retryMs && { retryMs }),
        });
        tokens.set(connection, token);
        connection.start();
      });
    },
    find: findOpen,
    capabilitiesOf: (deviceId) => announced.get(deviceId) ?? null,
    listen(runId, listener) {
      listeners.set(runId, listener);
      return () => void listeners.delete(runId);
    },
    whenOnline(deviceIds, { timeoutMs, signal }) {
      const all = (): boolean => deviceIds.every((deviceId) => findOpen(deviceId) !== null);
      if (all() || signal.aborted) return Promise.resolve(all());
      return new Promise((resolve) => {
        const check = (): void => {
          if (!all() && !signal.aborted) return;
          end();
        };
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', check);
          onlineWaiters.delete(check);
          resolve(all());
        };
        const timer = setTimeout(end, timeoutMs);
        signal.addEventListener('abort', check);
        onlineWaiters.add(check);
      });
    },
    setAsideOf: (deviceId) => setAside.get(deviceId) ?? [],
    fetchSetAside: async (deviceId, name) =>
      (await findOpen(deviceId)?.fetch({ type: 'fetch-set-aside', name })) ?? null,
    async trust(authorities) {
      const answers = [...online].map(async ([deviceId, connection]) => {
        const answer = await connection.trust(authorities).catch(() => undefined);
        return [deviceId, answer] as const;
      });
      return new Map(await Promise.all(answers));
    },
    drop(deviceId) {
      online.get(deviceId)?.redial();
    },
    refusedReports: () => Object.fromEntries(refused),
    stop() {
      stopped = true;
      clearInterval(rechecks);
      for (const client of sockets.clients) client.close(1001, 'the server stops');
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}

const unknownToken = {
  status: 401,
  detail: 'This token belongs to no device.',
  remedy: 'Install the agent again, or enrol it with a new token.',
};

function tokenOf(authorization: string | undefined): string {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
}

/** What an agent may sign a line of a Run with; anything else is signed with its name. */
const ownParts = new Set(['agent', 'load', 'mirror', 'bridge', ...brokerKinds]);

/** The Run that a frame reports about, and as whom; null for frames that answer the server. */
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
  if (frame.type === 'trouble') listener?.onTrouble(deviceId, frame.error);
}
