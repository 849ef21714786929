import type { DeviceProbe } from '@mqttlab/shared/messages/devices';
import type { Administrator } from './administrator.ts';
import { quoteShell } from './ssh-session.ts';

/** Files and folders that an installation creates on a device; removal deletes all of them. */
export const layout = {
  account: 'mqttlab-agent',
  folder: '/opt/mqttlab-agent',
  node: '/opt/mqttlab-agent/node',
  agent: '/opt/mqttlab-agent/agent.mjs',
  /** The agent's secret, readable only by the agent. */
  token: '/opt/mqttlab-agent/token',
  /** Address that the agent connects to. The server rewrites this file whenever the address changes. */
  server: '/opt/mqttlab-agent/server',
  /** Script that keeps the agent running if there is no systemd. */
  supervisor: '/opt/mqttlab-agent/supervise',
  /** Results that have not been delivered yet. */
  data: '/var/lib/mqttlab-agent',
  unit: '/etc/systemd/system/mqttlab-agent.service',
  service: 'mqttlab-agent.service',
} as const;

/** Returns the command for both types of service, without the arguments that follow. */
function agentCommand(deviceId: string): string[] {
  return [
    layout.node,
    '--disable-warning=ExperimentalWarning',
    layout.agent,
    '--server-file',
    layout.server,
    '--token-file',
    layout.token,
    '--name',
    deviceId,
    '--data',
    layout.data,
  ];
}

const accountScript = `
set -eu
umask 022
mkdir -p "$2"
if ! id "$1" > /dev/null 2>&1; then
  useradd --system --user-group --no-create-home --home-dir "$3" --shell /usr/sbin/nologin "$1"
  echo made
fi
mkdir -p "$3"
chown "$1:$1" "$3"
chmod 0700 "$3"
# The login user of the server writes the server address for the agent.
[ -e "$2/server" ] || : > "$2/server"
chown "$4" "$2/server"
chmod 0644 "$2/server"
`;

/**
 * Writes standard input to a file unless the file already has that content, and reports whether it was
 * written.
 */
const writeScript = `
set -eu
umask 077
trap 'rm -f "$1.part"' EXIT
cat > "$1.part"
chmod "$2" "$1.part"
chown "$3" "$1.part"
if cmp -s "$1.part" "$1"; then echo same; else mv -f "$1.part" "$1"; echo written; fi
`;

const superviseScript = `
set -eu
pid=$(cat "$1/supervisor.pid" 2> /dev/null || true)
if [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null; then
  [ "$2" != keep ] || exit 0
  kill -TERM "$pid"
  for i in $(seq 200); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
fi
[ "$2" != stop ] || exit 0
setsid "$1/supervise" < /dev/null > /dev/null 2>&1 &
`;

/** Creates the agent's user and folders. Resolves with true if the user did not exist before. */
export async function ensureAccount(administrator: Administrator, loginUser: string): Promise<boolean> {
  const { account, folder, data } = layout;
  const { stdout } = await administrator.runScript(accountScript, [account, folder, data, loginUser]);
  return stdout.includes('made');
}

interface WrittenFile {
  path: string;
  mode: string;
  owner: string;
}

/** Writes a file. Resolves with true if its previous content was different. */
export async function writeFile(
  administrator: Administrator,
  text: string,
  file: WrittenFile,
): Promise<boolean> {
  const words = [file.path, file.mode, file.owner];
  return (await administrator.runScript(writeScript, words, { input: text })).stdout.includes('written');
}

/** Reads the SHA-256 of the token on the device, hex; empty if there is no token. */
export async function readTokenHash(administrator: Administrator): Promise<string> {
  const { stdout } = await administrator.runScript('[ ! -f "$1" ] || sha256sum < "$1"', [layout.token]);
  return stdout.split(' ')[0] ?? '';
}

/** Keeps the agent running on this device, by systemd or by a shell script. */
export interface AgentService {
  /** Writes the necessary files. Resolves with true if any of them changed. */
  write(): Promise<boolean>;
  /** Starts the agent; with `again`, restarts it if it is running. */
  start(again: boolean): Promise<void>;
  stop(): Promise<void>;
  /** Reads the last lines of the agent's log, to explain a failed start. */
  readLog(): Promise<string>;
}

export function makeAgentService(
  administrator: Administrator,
  init: DeviceProbe['init'],
  deviceId: string,
): AgentService {
  return init === 'systemd'
    ? makeUnitService(administrator, deviceId)
    : makePlainService(administrator, deviceId);
}

function makeUnitService(administrator: Administrator, deviceId: string): AgentService {
  const systemctl = (...words: string[]) => administrator.run(['systemctl', '--quiet', ...words]);
  return {
    async write() {
      const file = { path: layout.unit, mode: '0644', owner: 'root:root' };
      const changed = await writeFile(administrator, makeAgentUnit(deviceId), file);
      if (changed) await systemctl('daemon-reload');
      await systemctl('enable', layout.service);
      return changed;
    },
    async start(again) {
      await systemctl('reset-failed', layout.service);
      await systemctl(again ? 'restart' : 'start', layout.service);
    },
    async stop() {
      await administrator.runScript('systemctl disable --now --quiet "$1" || true', [layout.service]);
      await administrator.run(['rm', '-f', layout.unit]);
      await systemctl('daemon-reload');
      await administrator.runScript('systemctl reset-failed --quiet "$1" || true', [layout.service]);
    },
    async readLog() {
      const asLines = ['--no-pager', '--quiet', '--output=cat', '--lines=8'];
      return (await administrator.run(['journalctl', ...asLines, `--unit=${layout.service}`])).stdout;
    },
  };
}

function makePlainService(administrator: Administrator, deviceId: string): AgentService {
  const supervise = (request: 'keep' | 'again' | 'stop') =>
    administrator.runScript(superviseScript, [layout.folder, request]);
  return {
    write() {
      const file = { path: layout.supervisor, mode: '0755', owner: 'root:root' };
      return writeFile(administrator, makeSupervisor(deviceId), file);
    },
    start: async (again) => void (await supervise(again ? 'again' : 'keep')),
    stop: async () => void (await supervise('stop')),
    readLog: async () => (await administrator.run(['tail', '-n', '8', `${layout.folder}/agent.log`])).stdout,
  };
}

const removeScript = `
set -eu
pkill -KILL -u "$1" || true
rm -rf -- "$2" "$3"
if id "$1" > /dev/null 2>&1; then
  for i in $(seq 50); do userdel "$1" 2> /dev/null && exit 0; sleep 0.1; done
  userdel "$1"
fi
`;

/** Removes everything that an installation created, including undelivered results. */
export async function removeFiles(administrator: Administrator): Promise<void> {
  const { account, folder, data } = layout;
  await administrator.runScript(removeScript, [account, folder, data]);
}

/**
 * Shaping links requires CAP_NET_ADMIN, and hardware counters require CAP_PERFMON (Debian denies
 * perf_event_open(2) to users). The agent needs no privileges for anything else.
 */
const capabilities = ['CAP_NET_ADMIN', 'CAP_PERFMON'];

/**
 * Returns the systemd unit (systemd.exec(5)) for the agent of a device. The id consists of letters, digits
 * and hyphens.
 */
function makeAgentUnit(deviceId: string): string {
  const lines = [
    '[Unit]',
    'Description=mqttlab agent: runs experiments on this device',
    'After=network.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    `ExecStart=${agentCommand(deviceId).join(' ')}`,
    `User=${layout.account}`,
    'Restart=always',
    'RestartSec=2',
    // The agent ends its broker and clients itself; systemd ends any remaining processes with the unit.
    'KillMode=mixed',
    'TimeoutStopSec=15',
    'StateDirectory=mqttlab-agent',
    'StateDirectoryMode=0700',
    `AmbientCapabilities=${capabilities.join(' ')}`,
    `CapabilityBoundingSet=${capabilities.join(' ')}`,
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectClock=yes',
    'RestrictNamespaces=yes',
    'RestrictSUIDSGID=yes',
    'RestrictRealtime=yes',
    'LockPersonality=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service perf_event_open',
    'UMask=0077',
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ];
  return lines.join('\n');
}

/**
 * Returns the script for a device without systemd: a shell that restarts the agent whenever it exits, with
 * the same user and capabilities, until the shell is stopped. It stores its process id for the stop command.
 */
function makeSupervisor(deviceId: string): string {
  const names = capabilities.map((name) => name.toLowerCase().replace('cap_', '+')).join(',');
  const setpriv = [
    'setpriv',
    `--reuid=${layout.account}`,
    `--regid=${layout.account}`,
    '--clear-groups',
    '--no-new-privs',
    `--inh-caps=${names}`,
    `--ambient-caps=${names}`,
    '--',
  ];
  return [
    '#!/bin/sh',
    '# Restarts the mqttlab agent whenever it exits.',
    'umask 077',
    `echo $$ > ${layout.folder}/supervisor.pid`,
    'agent=',
    `trap 'trap - TERM; [ -z "$agent" ] || { kill -TERM "$agent"; wait "$agent"; }; rm -f ${layout.folder}/supervisor.pid; exit 0' TERM`,
    'while true; do',
    `  ${quoteShell([...setpriv, ...agentCommand(deviceId)])} >> ${layout.folder}/agent.log 2>&1 &`,
    '  agent=$!',
    '  wait "$agent"',
    '  sleep 2 &',
    '  wait $!',
    'done',
    '',
  ].join('\n');
}
