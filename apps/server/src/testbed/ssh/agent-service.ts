import type { DeviceProbe } from '@mqttlab/shared/messages/devices';
import { makeAgentUnit, makeSupervisor } from './agent-unit.ts';
import { layout } from './device-layout.ts';
import type { Administrator } from './elevate.ts';

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
# Whoever the server logs in as tells the agent where the server is.
[ -e "$2/server" ] || : > "$2/server"
chown "$4" "$2/server"
chmod 0644 "$2/server"
`;

/** Writes standard input to a file unless it is so already; says which. */
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

/** The user of the agent and its folders. True where the user was made now. */
export async function ensureAccount(administrator: Administrator, loginUser: string): Promise<boolean> {
  const { account, folder, data } = layout;
  const words = ['sh', '-c', accountScript, 'account', account, folder, data, loginUser];
  return (await administrator.run(words)).stdout.includes('made');
}

export interface WrittenFile {
  path: string;
  mode: string;
  owner: string;
}

/** True where the file was another before. */
export async function writeFile(
  administrator: Administrator,
  text: string,
  file: WrittenFile,
): Promise<boolean> {
  const words = ['sh', '-c', writeScript, 'write', file.path, file.mode, file.owner];
  return (await administrator.run(words, { input: text })).stdout.includes('written');
}

/** SHA-256 of the token that is on the device, hex; empty where there is none. */
export async function readTokenHash(administrator: Administrator): Promise<string> {
  const words = ['sh', '-c', '[ ! -f "$1" ] || sha256sum < "$1"', 'token', layout.token];
  return (await administrator.run(words)).stdout.split(' ')[0] ?? '';
}

/** How the agent is kept running on this device: by systemd, or by a shell of ours. */
export interface AgentService {
  /** Writes what is needed; true where that changed something. */
  write(): Promise<boolean>;
  /** Starts it; `again`: also where it runs. */
  start(again: boolean): Promise<void>;
  stop(): Promise<void>;
  /** Its last words, for when it does not come up. */
  lastWords(): Promise<string>;
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
      await administrator.run([
        'sh',
        '-c',
        'systemctl disable --now --quiet "$1" || true',
        'stop',
        layout.service,
      ]);
      await administrator.run(['rm', '-f', layout.unit]);
      await systemctl('daemon-reload');
      await administrator.run([
        'sh',
        '-c',
        'systemctl reset-failed --quiet "$1" || true',
        'reset',
        layout.service,
      ]);
    },
    async lastWords() {
      const words = [
        'journalctl',
        '--no-pager',
        '--quiet',
        '--output=cat',
        '--lines=8',
        `--unit=${layout.service}`,
      ];
      return (await administrator.run(words)).stdout;
    },
  };
}

function makePlainService(administrator: Administrator, deviceId: string): AgentService {
  const supervise = (wish: 'keep' | 'again' | 'stop') =>
    administrator.run(['sh', '-c', superviseScript, 'supervise', layout.folder, wish]);
  return {
    write: () =>
      writeFile(administrator, makeSupervisor(deviceId), {
        path: layout.supervisor,
        mode: '0755',
        owner: 'root:root',
      }),
    start: async (again) => void (await supervise(again ? 'again' : 'keep')),
    stop: async () => void (await supervise('stop')),
    lastWords: async () =>
      (await administrator.run(['tail', '-n', '8', `${layout.folder}/agent.log`])).stdout,
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

/** Everything that an installation has put there, results that were never delivered as well. */
export async function removeFiles(administrator: Administrator): Promise<void> {
  const { account, folder, data } = layout;
  await administrator.run(['sh', '-c', removeScript, 'remove', account, folder, data]);
}
