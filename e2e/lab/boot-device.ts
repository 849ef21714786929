import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { enterGroup } from './control-group.ts';
import { deviceFolders } from './device-root.ts';
import { LabError } from './lab-error.ts';
import type { LabPaths } from './lab-paths.ts';
import type { LabDevice } from './lab-state.ts';
import { runProgram, tryProgram } from './run-program.ts';

/** Boot timeout. Debian boots in 4 s on an idle machine, much slower on a loaded one. */
const bootTimeoutMs = 120_000;

/** Boots a device as a separate process that outlives this one. */
export function switchOn(paths: LabPaths, device: LabDevice): void {
  const { own, root } = deviceFolders(paths, device);
  const log = openSync(join(own, 'console.log'), 'a');
  // Started inside the namespace, so that /sys shows its interfaces and `ip netns pids` all its processes.
  const command = device.kind === 'systemd' ? bootSystemd(paths, device, root) : bootPlain(device, root);
  const child = spawn(
    'sh',
    [
      '-c',
      `${enterGroup(paths.name, device.name)} exec "$@"`,
      'sh',
      'nsenter',
      `--net=/run/netns/${device.namespace}`,
      ...command,
    ],
    {
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' },
    },
  );
  child.unref();
  closeSync(log);
}

function bootSystemd({ name }: LabPaths, device: LabDevice, root: string): string[] {
  return [
    'systemd-nspawn',
    '--quiet',
    '--boot',
    `--directory=${root}`,
    `--machine=${name}-${device.name}`,
    `--hostname=${device.name}`,
    '--register=no',
    '--keep-unit',
    '--console=read-only',
    '--capability=CAP_NET_ADMIN,CAP_NET_RAW',
    '--resolv-conf=off',
    '--timezone=off',
    '--link-journal=no',
  ];
}

/** Without systemd: separate process ids, mounts and host name, and one sshd. */
function bootPlain(device: LabDevice, root: string): string[] {
  const steps = [
    `hostname ${device.name}`,
    `mount -t proc proc ${root}/proc`,
    `mount -t sysfs -o ro sysfs ${root}/sys`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t tmpfs tmpfs ${root}/run`,
    `mkdir -p ${root}/run/sshd`,
    `exec chroot ${root} /usr/sbin/sshd -D -e`,
  ];
  return [
    'unshare',
    '--mount',
    '--pid',
    '--uts',
    '--ipc',
    '--fork',
    '--kill-child',
    'sh',
    '-ec',
    steps.join('\n'),
  ];
}

/** Resolves when sshd responds; otherwise rejects with the last output of the device. */
export async function whenReachable(paths: LabPaths, device: LabDevice): Promise<void> {
  const { name, addresses, kind } = device;
  const until = Date.now() + bootTimeoutMs;
  while (Date.now() < until) {
    if (await greets(addresses.ethernet)) return;
    await wait(100);
  }
  throw new LabError(
    `${name} did not start its sshd in time. It wrote last: ${lastOutput(paths, device)}`,
    kind === 'systemd'
      ? 'Where systemd-nspawn cannot run, do without: npm run lab -- --plain.'
      : 'Fix what they name.',
  );
}

/** Last console output, read before the folder is removed with the lab. */
function lastOutput(paths: LabPaths, device: LabDevice): string {
  const log = join(deviceFolders(paths, device).own, 'console.log');
  if (!existsSync(log)) return 'none';
  return readFileSync(log, 'utf8').trim().split('\n').slice(-5).join(' / ') || 'none';
}

function greets(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: 22, timeout: 1000 });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => end(data.toString().startsWith('SSH-')));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

/** Simulates a power cut: kills all processes of the device at once. */
export async function cutPower({ namespace }: Pick<LabDevice, 'namespace'>): Promise<void> {
  if (!existsSync(`/run/netns/${namespace}`)) return;
  const until = Date.now() + 20_000;
  while (Date.now() < until) {
    const { output } = await tryProgram('ip', ['netns', 'pids', namespace]);
    const pids = output.split('\n').filter((line) => /^\d+$/.test(line));
    if (pids.length === 0) return;
    await tryProgram('kill', ['-KILL', ...pids]);
    await wait(50);
  }
  throw new LabError(`Processes of ${namespace} do not end.`, 'See "ip netns pids" and try again.');
}

/** Host process id of the device's first process, used to enter its namespaces. */
export async function initPidOf({ namespace, name }: LabDevice): Promise<number> {
  const pids = await runProgram('ip', ['netns', 'pids', namespace]);
  for (const pid of pids.split('\n').filter(Boolean)) {
    const { output } = await tryProgram('cat', [`/proc/${pid}/status`]);
    if (/^NSpid:\t\d+\t1$/m.test(output)) return Number(pid);
  }
  throw new LabError(`${name} is not running.`, 'Switch it on first.');
}
