import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '@mqttlab/shared/kit/failure';
import { poll } from '@mqttlab/shared/kit/poll';
import type {
  AddDevice,
  DeviceLogin,
  DeviceSsh,
  HostKeyAnswer,
  HostKeyRequest,
  Installation,
} from '@mqttlab/shared/messages/devices';
import { conflict, notFound, ProblemError } from '../base/errors.ts';
import type { ServerEvents } from '../base/events.ts';
import type { AgentHub } from '../devices/agent-hub.ts';
import { issueAgentToken, toDeviceId } from '../devices/agent-tokens.ts';
import type { Live } from '../live/live.ts';
import type { SshDeviceRecord } from '../store/settings/device-store.ts';
import type { Stores } from '../store/stores.ts';
import { toDeviceFailure } from './device-errors.ts';
import { DeviceSession } from './device-session.ts';
import { makeInstallSteps, makeRemoveSteps, takeSteps, type WorkContext } from './device-work.ts';
import type { ServerKey } from './log-in.ts';
import type { RuntimeFiles } from './runtime-files.ts';
import { fingerprintOf, type HostKey, parseHostKey } from './ssh-host.ts';
import { readHostKey, type SshSession } from './ssh-session.ts';

interface RemoteDevicesOptions {
  stores: Pick<Stores, 'devices' | 'sshDevices'>;
  agents: Pick<AgentHub, 'findAgent'>;
  key: () => ServerKey;
  files: RuntimeFiles;
  /** Returns true while the testbed of a device is executing a run or a check. */
  isInUse: (deviceId: string) => boolean;
  live: Pick<Live, 'note'>;
  events: ServerEvents;
  nowMs: () => number;
}

const agentTimeoutMs = 45_000;
const trustTimeoutMs = 15_000;

export type RemoteDevices = ReturnType<typeof makeRemoteDevices>;

/** Installs, connects and removes devices that are added over SSH. */
export function makeRemoteDevices(options: RemoteDevicesOptions) {
  const { agents, live, events, nowMs } = options;
  const { devices, sshDevices } = options.stores;
  const changed = (deviceId: string): void => void events.emit('device-changed', deviceId);
  const sessions = new Map<string, DeviceSession>();
  const working = new Map<string, { session: SshSession | null; ended: Promise<void> }>();
  let makeUrl: (localAddress: string) => string | null = () => null;
  let authority = '';
  const stopping = new AbortController();

  const find = (deviceId: string): SshDeviceRecord => {
    const record = sshDevices.findSshDevice(deviceId);
    if (record === null) throw notFound('device added over SSH', deviceId);
    return record;
  };

  const installationOf = (deviceId: string): Installation => {
    const { installation } = find(deviceId);
    if (installation === null) throw notFound('installation of device', deviceId);
    return installation;
  };

  const startSession = (record: SshDeviceRecord): DeviceSession => {
    if (stopping.signal.aborted) throw new Error('the server is stopping');
    const session = new DeviceSession({
      key: options.key(),
      request: { ...record, hostKey: keyOf(record) },
      connection: record.connection,
      directAddress: (address) => `${makeUrl(address) ?? ''}\n${authority}`,
      onAgent: (stream) => void events.emit('agent-tunnel', stream),
      onChange: () => changed(record.deviceId),
    });
    sessions.set(record.deviceId, session);
    session.start();
    return session;
  };
  const endSession = async (deviceId: string): Promise<void> => {
    const session = sessions.get(deviceId);
    sessions.delete(deviceId);
    await session?.stop();
  };

  const contextOf = (record: SshDeviceRecord, login: DeviceLogin): WorkContext => {
    const { deviceId } = record;
    const before = agents.findAgent(deviceId);
    return {
      device: { deviceId, login, request: { ...record, hostKey: keyOf(record) } },
      key: options.key(),
      files: options.files,
      signal: stopping.signal,
      onSession: (session) => {
        const work = working.get(deviceId);
        if (work) work.session = session;
      },
      records: {
        saveProbe: (probe) => sshDevices.updateSshDevice(deviceId, { probe }),
        renewToken(hashOnDevice) {
          const device = devices.findDevice(deviceId);
          if (device === null) throw notFound('device', deviceId);
          if (device.tokenHash === hashOnDevice) return null;
          return issueAgentToken(devices, { ...device, deviceId });
        },
        forget: () => devices.removeDevice(deviceId),
      },
      connection: {
        directUrl: makeUrl,
        async connect(connection, force) {
          const connected = sessions.get(deviceId)?.state === 'connected';
          if (connected && !force && find(deviceId).connection === connection) return;
          await endSession(deviceId);
          sshDevices.updateSshDevice(deviceId, { connection });
          await startSession(find(deviceId)).ready;
        },
        disconnect: () => endSession(deviceId),
        awaitAgent(restarted) {
          const isOnline = (): boolean => {
            const link = agents.findAgent(deviceId);
            return link !== null && !(restarted && link === before);
          };
          return poll(isOnline, { everyMs: 50, timeoutMs: agentTimeoutMs, signal: stopping.signal });
        },
      },
    };
  };

  const requireIdle = (deviceId: string): void => {
    if (!working.has(deviceId)) return;
    throw conflict('Work on this device is in progress.', 'Wait until it has ended.');
  };
  const begin = (record: SshDeviceRecord, kind: Installation['kind'], login: DeviceLogin): Installation => {
    const { deviceId } = record;
    requireIdle(deviceId);
    if (options.isInUse(deviceId)) {
      throw conflict('The device is executing a run.', 'Drain it and wait until the run has ended.');
    }
    let shown: Installation = {
      deviceId,
      kind,
      status: 'running',
      steps: [],
      failure: null,
      startedAt: nowMs(),
      finishedAt: null,
    };
    const show = (change: Partial<Installation>): void => {
      shown = { ...shown, ...change };
      sshDevices.updateSshDevice(deviceId, { installation: shown });
      changed(deviceId);
    };
    const work = { session: null as SshSession | null, ended: Promise.resolve() };
    working.set(deviceId, work);
    const context = contextOf(record, login);
    const steps = kind === 'remove' ? makeRemoveSteps(context) : makeInstallSteps(context);
    work.ended = takeSteps(steps, (now) => show({ steps: now }))
      .then(() => show({ status: 'done', finishedAt: nowMs() }))
      .catch((error: unknown) => {
        const failure = toDeviceFailure(error);
        live.note('warn', `${kind} of ${deviceId}: ${failure.message}`);
        show({ status: 'failed', failure, finishedAt: nowMs() });
      })
      .finally(() => {
        work.session?.end();
        working.delete(deviceId);
        changed(deviceId);
      });
    return shown;
  };

  return {
    /**
     * Starts the sessions. `urlAt` returns the address of this server for a device with the given address;
     * null if it is not reachable. `pinned`: the certificate with which agents verify this server, PEM.
     */
    start({ urlAt, pinned }: { urlAt: typeof makeUrl; pinned: string | null }): void {
      makeUrl = urlAt;
      authority = pinned ?? '';
      for (const record of sshDevices.listSshDevices()) {
        const { deviceId, installation } = record;
        if (installation?.status === 'running') {
          const ended = { status: 'interrupted' as const, finishedAt: nowMs() };
          sshDevices.updateSshDevice(deviceId, { installation: { ...installation, ...ended } });
        }
        startSession(record);
      }
    },
    /**
     * Writes these certificates (PEM) over SSH to every device that connects to the server directly. Resolves
     * with whether each device was reached in time; the sessions of the other devices keep trying.
     */
    async trust(authorities: readonly string[], timeoutMs = trustTimeoutMs): Promise<Map<string, boolean>> {
      authority = authorities.join('');
      const direct = sshDevices.listSshDevices().filter(({ connection }) => connection === 'direct');
      const reached = direct.map(async (record) => {
        const { deviceId } = record;
        if (working.has(deviceId)) return [deviceId, false] as const;
        await endSession(deviceId);
        const ready = startSession(record).ready.then(
          () => true,
          () => false,
        );
        return [deviceId, await Promise.race([ready, wait(timeoutMs, false, { ref: false })])] as const;
      });
      return new Map(await Promise.all(reached));
    },
    /** Ends work and sessions together, because work may wait for a session. */
    async stop(): Promise<void> {
      stopping.abort();
      for (const { session } of working.values()) session?.end();
      await Promise.all([
        ...[...sessions.keys()].map(endSession),
        ...[...working.values()].map(({ ended }) => ended),
      ]);
    },
    /** Reads a host key. Rejects with a ProblemError if no SSH server responds. */
    async readHostKey(address: HostKeyRequest): Promise<HostKeyAnswer> {
      const key = await withProblem(readHostKey(address));
      const known = sshDevices
        .listSshDevices()
        .filter(({ host, port }) => host === address.host && port === address.port);
      return {
        algorithm: key.algorithm,
        fingerprint: fingerprintOf(key.blob),
        serverKey: options.key().publicLine,
        changedFor: known.filter((record) => isChanged(record, key)).map(({ deviceId }) => deviceId),
      };
    },
    /** Starts an installation; for a known device, continues the last installation. */
    async add(added: AddDevice): Promise<Installation> {
      const { name, host, port, user } = added;
      const deviceId = toDeviceId(name);
      const requireFree = (): SshDeviceRecord | null => {
        requireIdle(deviceId);
        const existing = sshDevices.findSshDevice(deviceId);
        if (existing === null && devices.findDevice(deviceId)) throw nameTaken(deviceId);
        requireOwnAddress(sshDevices.listSshDevices(), deviceId, added);
        return existing;
      };
      requireFree();
      const hostKey = await confirmKey(added, added.fingerprint);
      // Another request may have added the device in the meantime.
      const existing = requireFree();
      if (existing === null) {
        issueAgentToken(devices, { deviceId, name, role: 'publisher', testbedId: '' });
        sshDevices.addSshDevice({ deviceId, host, port, user, hostKey: hostKey.blob });
      } else if (!existing.hostKey.equals(hostKey.blob)) {
        throw isSame(existing, added) ? changedKey(existing, hostKey) : nameTaken(deviceId);
      } else if (!isSame(existing, added)) {
        // The same key at another address means that the machine has moved.
        await endSession(deviceId);
        sshDevices.updateSshDevice(deviceId, { host, port, user });
      }
      return begin(find(deviceId), 'install', added.login);
    },
    installation: installationOf,
    /** Resolves with the installation after the current work has ended. */
    async settled(deviceId: string): Promise<Installation> {
      await working.get(deviceId)?.ended;
      return installationOf(deviceId);
    },
    upgrade: (deviceId: string, sudoPassword: string | undefined): Installation =>
      begin(find(deviceId), 'upgrade', byServerKey(sudoPassword)),
    remove: (deviceId: string, sudoPassword: string | undefined): Installation =>
      begin(find(deviceId), 'remove', byServerKey(sudoPassword)),
    /** Removes a device without contacting it. */
    async forget(deviceId: string): Promise<void> {
      find(deviceId);
      requireIdle(deviceId);
      await endSession(deviceId);
      requireIdle(deviceId);
      devices.removeDevice(deviceId);
    },
    drain(deviceId: string, draining: boolean): void {
      find(deviceId);
      sshDevices.updateSshDevice(deviceId, { draining });
      changed(deviceId);
    },
    /**
     * Trusts another host key from now on. The key is read again and must match the confirmed fingerprint.
     */
    async repin(deviceId: string, fingerprint: string): Promise<void> {
      requireIdle(deviceId);
      const hostKey = await confirmKey(find(deviceId), fingerprint);
      // Work that has started in the meantime needs the session.
      requireIdle(deviceId);
      sshDevices.updateSshDevice(deviceId, { hostKey: hostKey.blob });
      await endSession(deviceId);
      startSession(find(deviceId));
    },
    isOnline: (deviceId: string): boolean => agents.findAgent(deviceId) !== null,
    /** Returns true while work on the device is in progress. */
    isWorking: (deviceId: string): boolean => working.has(deviceId),
    /** Returns the SSH details of a device; null if it was not added over SSH. */
    about(deviceId: string): DeviceSsh | null {
      const record = sshDevices.findSshDevice(deviceId);
      if (record === null) return null;
      const { host, port, user, connection, draining, probe } = record;
      const session = sessions.get(deviceId);
      return {
        host,
        port,
        user,
        connection,
        draining,
        probe,
        fingerprint: fingerprintOf(record.hostKey),
        session: session?.state ?? 'none',
        trouble: session?.trouble ?? null,
      };
    },
  };
}

function byServerKey(sudoPassword: string | undefined): DeviceLogin {
  return { kind: 'server-key', ...(sudoPassword === undefined ? {} : { sudoPassword }) };
}

function isSame(record: SshDeviceRecord | null, { host, port, user }: AddDevice): boolean {
  return record !== null && record.host === host && record.port === port && record.user === user;
}

/**
 * Refuses an address that another device has. Each machine has one agent: two devices at one address would
 * alternate.
 */
function requireOwnAddress(
  records: readonly SshDeviceRecord[],
  deviceId: string,
  { host, port }: HostKeyRequest,
): void {
  const other = records.find((record) => record.host === host && record.port === port);
  if (other === undefined || other.deviceId === deviceId) return;
  throw conflict(
    `${host}:${port} is already the device ${other.deviceId}.`,
    `Use that name, or remove ${other.deviceId} first.`,
  );
}

function nameTaken(deviceId: string): ProblemError {
  return new ProblemError({
    status: 409,
    detail: `There is already a device ${deviceId} on another machine.`,
    remedy: 'Choose another name.',
    issues: [{ field: 'name', reason: 'is taken', remedy: 'Choose another one.' }],
  });
}

function keyOf({ hostKey }: SshDeviceRecord): HostKey {
  const key = parseHostKey(hostKey);
  if (key === null) throw new Error('the pinned host key cannot be read');
  return key;
}

/**
 * Returns true if the key has changed. A key of another kind is a different key of the same device, not a
 * changed key.
 */
function isChanged(record: SshDeviceRecord, key: HostKey): boolean {
  return keyOf(record).algorithm === key.algorithm && !record.hostKey.equals(key.blob);
}

/** Returns the key that the address currently presents, which must be the key that the user has confirmed. */
async function confirmKey(address: HostKeyRequest, fingerprint: string): Promise<HostKey> {
  const key = await withProblem(readHostKey(address));
  if (fingerprintOf(key.blob) === fingerprint) return key;
  throw new ProblemError({
    status: 409,
    detail: `${address.host} presents a different host key (${fingerprintOf(key.blob)}) from the confirmed one (${fingerprint}). Nothing was sent to it.`,
    remedy:
      'Compare both with the output of “ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub” on the device. Then confirm the correct one.',
    issues: [{ field: 'fingerprint', reason: 'is not the key of this device', remedy: 'Read it again.' }],
  });
}

function changedKey({ deviceId, hostKey }: SshDeviceRecord, shown: HostKey): ProblemError {
  return new ProblemError({
    status: 409,
    detail: `THE HOST KEY OF ${deviceId} HAS CHANGED: ${fingerprintOf(shown.blob)}; the pinned key is ${fingerprintOf(hostKey)}.`,
    remedy: 'If the operating system was reinstalled, confirm its new key first.',
    issues: [{ field: 'fingerprint', reason: 'differs from the pinned key', remedy: 'Confirm the new key.' }],
  });
}

/** Converts the device's refusal to a problem in response to a request. */
async function withProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, remedy, field } = toDeviceFailure(error);
    const issues = field === null ? [] : [{ field, reason: message, remedy }];
    throw new ProblemError({ status: 422, detail: message, remedy, issues });
  }
}
