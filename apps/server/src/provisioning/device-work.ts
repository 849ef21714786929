import { Failure } from '@mqttlab/shared/kit/failure';
import type {
  DeviceLogin,
  DeviceProbe,
  DeviceSsh,
  InstallStep,
  InstallStepId,
} from '@mqttlab/shared/messages/devices';
import { type Administrator, becomeAdministrator, copyFile } from './administrator.ts';
import {
  type AgentService,
  ensureAccount,
  layout,
  makeAgentService,
  readTokenHash,
  removeFiles,
  writeFile,
} from './agent-service.ts';
import { toDeviceFailure } from './device-errors.ts';
import { forgetServerKey, type LoginRequest, logIn, type ServerKey } from './log-in.ts';
import type { RuntimeFiles } from './runtime-files.ts';
import { fingerprintOf } from './ssh-host.ts';
import type { SshSession } from './ssh-session.ts';

/** Dependencies of the work on one device. */
export interface WorkContext {
  device: { deviceId: string; request: LoginRequest; login: DeviceLogin };
  key: ServerKey;
  files: RuntimeFiles;
  records: DeviceRecords;
  connection: AgentConnection;
  /** Aborted when the server stops. */
  signal: AbortSignal;
  /** Called with the session, so that the session can be ended with the server. */
  onSession(session: SshSession): void;
}

/** Data about the device in the server's stores. */
interface DeviceRecords {
  saveProbe(probe: DeviceProbe): void;
  /** Returns a new token; null if the device already has the issued token. */
  renewToken(hashOnDevice: string): string | null;
  /** Deletes the device. */
  forget(): void;
}

/** How the agent reaches the server. */
interface AgentConnection {
  /**
   * Returns the address at which the device could reach this server directly; null if the server only listens
   * on loopback.
   */
  directUrl(localAddress: string): string | null;
  /**
   * Writes the server's address to the device and keeps the session for a tunnel. `force`: also if the
   * address is unchanged.
   */
  connect(connection: DeviceSsh['connection'], force: boolean): Promise<void>;
  /** Ends that session. */
  disconnect(): Promise<void>;
  /** Resolves with true if the agent connected in time; with `restarted`, only on a new connection. */
  awaitAgent(restarted: boolean): Promise<boolean>;
}

/** Results of the steps so far. */
interface Found {
  session?: SshSession;
  administrator?: Administrator;
  probe?: DeviceProbe;
  /** Set if a file of the agent changed, which requires a restart. */
  changed: boolean;
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a step ran before a required step');
  return value;
}

/** Creates all steps from the first contact to an agent that is online. */
export function makeInstallSteps(context: WorkContext): DeviceStep[] {
  const { device, files, records } = context;
  const { deviceId, request } = device;
  const found: Found = { changed: false };
  const admin = (): Administrator => need(found.administrator);
  const service = (): AgentService => makeAgentService(admin(), need(found.probe).init, deviceId);
  return [
    hostKeyStep(context),
    loginStep(context, found),
    {
      id: 'probe',
      label: 'Look at the device',
      async take() {
        const probe = await probeDevice(need(found.session));
        found.probe = probe;
        records.saveProbe(probe);
        await files.node(probe.architecture);
        const memory = `${Math.round(probe.memoryBytes / 1e6)} MB memory`;
        return [probe.os, `kernel ${probe.kernel}`, probe.architecture, memory].join(', ');
      },
    },
    privilegesStep(context, found, async () => {
      const shaping = await probeShaping(admin());
      records.saveProbe({ ...need(found.probe), shaping });
    }),
    {
      id: 'account',
      label: 'Create the agent’s user',
      take: async () =>
        (await ensureAccount(admin(), request.user))
          ? `${layout.account} made`
          : `${layout.account} is there`,
    },
    {
      id: 'runtime',
      label: 'Copy Node',
      async take() {
        const node = await files.node(need(found.probe).architecture);
        const copied = await copyFile(admin(), node, { path: layout.node, mode: '0755' });
        found.changed ||= copied;
        return `${await readNodeVersion(need(found.session))} ${copied ? 'copied' : 'already present'}`;
      },
    },
    {
      id: 'agent',
      label: 'Copy the agent',
      async take() {
        const agent = await files.agent();
        const copied = await copyFile(admin(), agent, { path: layout.agent, mode: '0644' });
        found.changed ||= copied;
        return `${Math.round(agent.bytes / 1e3)} kB ${copied ? 'copied' : 'already present'}`;
      },
    },
    {
      id: 'service',
      label: 'Start the agent',
      async take() {
        const connection = await chooseConnection(context, need(found.session));
        const address = await need(found.session).run(['test', '-s', layout.server]);
        await context.connection.connect(connection, address.code !== 0);
        const token = records.renewToken(await readTokenHash(admin()));
        if (token !== null) {
          await writeFile(admin(), token, { path: layout.token, mode: '0600', owner: layout.account });
        }
        const written = await service().write();
        found.changed ||= written || token !== null;
        await service().start(found.changed);
        const by = need(found.probe).init === 'systemd' ? 'as a systemd unit' : 'under a supervising shell';
        return `${by}; ${connection === 'direct' ? 'connects to the server directly' : 'connects through the SSH session'}`;
      },
    },
    {
      id: 'connection',
      label: 'Wait for the agent',
      async take() {
        const started = performance.now();
        if (!(await context.connection.awaitAgent(found.changed))) throw await agentSilent(service());
        return `online after ${((performance.now() - started) / 1000).toFixed(1)} s`;
      },
    },
  ];
}

/** Creates the steps that revert everything that the installation did. */
export function makeRemoveSteps(context: WorkContext): DeviceStep[] {
  const found: Found = { changed: false };
  return [
    hostKeyStep(context),
    loginStep(context, found),
    privilegesStep(context, found, async () => {
      found.probe = await probeDevice(need(found.session));
    }),
    {
      id: 'stop',
      label: 'Stop the agent',
      async take() {
        await makeAgentService(
          need(found.administrator),
          need(found.probe).init,
          context.device.deviceId,
        ).stop();
        await context.connection.disconnect();
        return 'stopped with all processes that it started';
      },
    },
    {
      id: 'files',
      label: 'Remove its files and its user',
      async take() {
        await removeFiles(need(found.administrator));
        return `${layout.folder} and ${layout.data} were removed`;
      },
    },
    {
      id: 'forget',
      label: "Remove the server's key",
      async take() {
        await forgetServerKey(need(found.session), context.key);
        context.records.forget();
        return 'nothing from mqttlab is left on the device';
      },
    },
  ];
}

function hostKeyStep({ device: { request } }: WorkContext): DeviceStep {
  return {
    id: 'host-key',
    label: 'Check the host key',
    // Every session compares the key byte by byte before it sends anything.
    take: () => Promise.resolve(`${request.hostKey.algorithm} ${fingerprintOf(request.hostKey.blob)}`),
  };
}

function loginStep({ device, key, onSession, signal }: WorkContext, found: Found): DeviceStep {
  const { request, login } = device;
  return {
    id: 'login',
    label: 'Log in',
    async take() {
      const { session, detail } = await logIn(request, key, login, signal);
      onSession(session);
      found.session = session;
      return `as ${request.user}, ${detail}`;
    },
  };
}

function privilegesStep(context: WorkContext, found: Found, then: () => Promise<void>): DeviceStep {
  const { login, request } = context.device;
  const password = login.kind === 'password' ? login.password : (login.sudoPassword ?? null);
  return {
    id: 'privileges',
    label: 'Become root',
    async take() {
      found.administrator = await becomeAdministrator(need(found.session), request.user, password);
      await then();
      return found.administrator.how;
    },
  };
}

async function readNodeVersion(session: SshSession): Promise<string> {
  const { code, stdout, stderr } = await session.run([layout.node, '--version']);
  if (code === 0 && /^v\d+\./.test(stdout)) return `Node ${stdout.trim().slice(1)}`;
  throw new Failure({
    code: 'runtime-broken',
    message: `Node does not run on the device: ${(stderr || stdout).trim().slice(-300)}.`,
    remedy: 'It needs glibc 2.28 or later, and /opt must not be mounted with noexec.',
  });
}

const reachScript =
  'fetch(process.argv[1], { signal: AbortSignal.timeout(3000) }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))';

/** This request carries no data; the agent's own connection checks the pinned certificate. */
const unchecked = ['env', 'NODE_TLS_REJECT_UNAUTHORIZED=0'];

/** Tests whether the device can connect to this server. */
async function chooseConnection(context: WorkContext, session: SshSession): Promise<DeviceSsh['connection']> {
  const url = context.connection.directUrl(session.localAddress);
  if (url === null) return 'tunnel';
  const { code } = await session.run([...unchecked, layout.node, '-e', reachScript, `${url}/livez`]);
  return code === 0 ? 'direct' : 'tunnel';
}

async function agentSilent(service: AgentService): Promise<Failure> {
  const words = await service.readLog().catch(() => '');
  return new Failure({
    code: 'agent-silent',
    message: `The agent was started but did not connect. The end of its log: ${words.trim().slice(-600) || 'none'}`,
    remedy: 'Fix the reported problem, then start again.',
  });
}

/** One step of work on a device. Each step first checks the current state, so it is safe to repeat. */
interface DeviceStep {
  id: InstallStepId;
  label: string;
  /** Resolves with a description of the outcome; rejects with Failure. */
  take(): Promise<string>;
}

/** Executes the steps in order. The first failure stops the work, and the error is rethrown. */
export async function takeSteps(
  steps: readonly DeviceStep[],
  onChange: (steps: InstallStep[]) => void,
): Promise<void> {
  let shown = steps.map(
    ({ id, label }): InstallStep => ({ id, label, status: 'waiting', detail: '', durationMs: null }),
  );
  const change = (id: InstallStepId, fields: Partial<InstallStep>): void => {
    shown = shown.map((step) => (step.id === id ? { ...step, ...fields } : step));
    onChange(shown);
  };
  onChange(shown);
  for (const { id, take } of steps) {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    change(id, { status: 'running' });
    try {
      const detail = await take();
      change(id, { status: 'done', detail, durationMs: durationMs() });
    } catch (error) {
      change(id, { status: 'failed', detail: toDeviceFailure(error).message, durationMs: durationMs() });
      throw error;
    }
  }
}

/** A constant script that only reads. Each line contains one fact: a word, a space, the rest. */
const script = `
PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH
LC_ALL=C; export LC_ALL
echo "kernel $(uname -sr)"
echo "architecture $(uname -m)"
echo "bits $(getconf LONG_BIT 2>/dev/null)"
[ -r /etc/os-release ] && . /etc/os-release && echo "os $PRETTY_NAME"
awk '/^MemTotal:/ { print "memory", $2 * 1024 }' /proc/meminfo
for folder in /opt / ; do [ -d $folder ] && df -Pk $folder | awk 'NR == 2 { print "disk", $4 * 1024 }' && break; done
[ -d /run/systemd/system ] && echo "init systemd" || echo "init none"
ip -o -4 address 2>/dev/null | awk '{ sub("/.*", "", $4); print "interface", $2, $4 }'
for tool in ip tc nft sudo systemctl setpriv chronyc ethtool mosquitto_pub mosquitto_sub; do
  command -v $tool > /dev/null && echo "tool $tool"
done
for name in /sys/class/hwmon/hwmon*/name; do [ -r $name ] && echo "sensor $(cat $name)"; done
for zone in /sys/class/thermal/thermal_zone*/type; do [ -r $zone ] && echo "sensor $(cat $zone)"; done
command -v vcgencmd > /dev/null && echo "sensor vcgencmd"
[ -d /sys/class/powercap/intel-rapl:0 ] && echo "sensor rapl"
command -v mosquitto > /dev/null && echo "broker $(mosquitto -h 2>/dev/null | head -n 1)"
exit 0
`;

/**
 * Tests shaping on the loopback of a network namespace that only exists for this command, so that the device
 * is not changed.
 */
const shapingScript = `
PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH
tc qdisc add dev lo root netem delay 1ms && echo netem && tc qdisc del dev lo root
tc qdisc add dev lo root tbf rate 1mbit burst 10kb latency 50ms && echo tbf && tc qdisc del dev lo root
nft add table inet probe && nft add chain inet probe out '{ type filter hook output priority 0; }' &&
  nft add rule inet probe out numgen random mod 1000 '<' 5 drop && echo nft-drop
exit 0
`;

/** Reads the properties of the device as the login user. Rejects with Failure if it is not Linux. */
async function probeDevice(session: SshSession): Promise<DeviceProbe> {
  const { stdout, stderr } = await session.run(['sh', '-c', script]);
  const facts = parseFacts(stdout);
  const one = (name: string): string => facts.get(name)?.at(-1) ?? '';
  if (!one('kernel').startsWith('Linux ')) {
    throw new Failure({
      code: 'no-linux',
      message: `This is not a Linux system (${(one('kernel') || stderr || stdout).trim().slice(0, 200)}).`,
      remedy: 'The agent runs on Linux, for example Raspberry Pi OS (64-bit).',
    });
  }
  const all = (name: string): string[] => [...new Set(facts.get(name) ?? [])].sort();
  return {
    os: one('os') || 'unknown',
    kernel: one('kernel').slice('Linux '.length),
    // A 64-bit kernel may run a 32-bit system, as on some versions of Raspberry Pi OS.
    architecture: one('architecture') === 'aarch64' && one('bits') === '32' ? 'armv7l' : one('architecture'),
    memoryBytes: Number(one('memory')) || 0,
    diskFreeBytes: Number(one('disk')) || 0,
    init: one('init') === 'systemd' ? 'systemd' : 'none',
    interfaces: (facts.get('interface') ?? []).map((text) => {
      const [name = '', address = ''] = text.split(' ');
      return { name, address };
    }),
    tools: all('tool'),
    sensors: all('sensor'),
    brokers: all('broker'),
    shaping: [],
  };
}

/** Returns which of netem, tbf and nftables the kernel supports; empty if namespaces cannot be created. */
async function probeShaping(administrator: Administrator): Promise<string[]> {
  try {
    const { stdout } = await administrator.run(['unshare', '--net', 'sh', '-c', shapingScript]);
    return stdout.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (error instanceof Failure && error.code === 'command-failed') return [];
    throw error;
  }
}

function parseFacts(text: string): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    if (space < 1) continue;
    const name = line.slice(0, space);
    facts.set(name, [...(facts.get(name) ?? []), line.slice(space + 1).trim()]);
  }
  return facts;
}
