import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './lab-error.ts';
import { runProgram } from './run-program.ts';

const mirror = 'http://deb.debian.org/debian';
const suite = 'trixie';
const packages = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'libpam-systemd',
  'openssh-server',
  'sudo',
  'iproute2',
  'iputils-ping',
  'nftables',
  'ethtool',
  'procps',
  'ca-certificates',
  'mosquitto',
];

/** Users of every virtual Pi: one as on Raspberry Pi OS, one whose sudo needs a password, one without sudo. */
export const labUsers = {
  pi: { password: 'raspberry-31', sudo: 'free' },
  careful: { password: 'blackberry-41', sudo: 'asks' },
  guest: { password: 'strawberry-59', sudo: 'none' },
} as const;

/** Services that a virtual Pi does not need, or that would change the interfaces of the lab. */
const masked = [
  'systemd-networkd.service',
  'systemd-networkd.socket',
  'systemd-resolved.service',
  'mosquitto.service',
  'console-getty.service',
  'getty.target',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'nftables.service',
  'systemd-timesyncd.service',
  'e2scrub_all.timer',
  'fstrim.timer',
  'dpkg-db-backup.timer',
];

/** Version of `furnish`; increase it with every change. */
const recipe = 3;

/**
 * Folder of a small Debian with systemd and sshd, created by debootstrap if missing (about 40 s). It is
 * built under a temporary name and renamed at the end, so that a tree with this name is always complete.
 */
export async function ensureBaseTree(folder: string, onStep: (text: string) => void): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify([recipe, suite, packages, labUsers, masked]));
  const tree = join(folder, `${suite}-${key.digest('hex').slice(0, 12)}`);
  mkdirSync(folder, { recursive: true });
  removeHalfBuilt(folder);
  if (existsSync(tree)) return tree;
  onStep(`Building a Debian ${suite} tree in ${tree} (once, about a minute) ...`);
  const building = join(folder, `.building-${process.pid}`);
  try {
    await bootstrap(building);
    await furnish(building);
    renameSync(building, tree);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    // Another process has built the tree meanwhile.
    if (!existsSync(tree)) throw error;
  }
  return tree;
}

/** Removes leftovers of a builder process that has ended. */
function removeHalfBuilt(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^\.building-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

async function bootstrap(target: string): Promise<void> {
  try {
    await runProgram('debootstrap', [
      '--variant=minbase',
      `--include=${packages.join(',')}`,
      suite,
      target,
      mirror,
    ]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LabError(reason, `debootstrap needs ${mirror} and about 400 MB; check both.`);
  }
}

/** Sets up users, services and sshd for the lab, without device-specific settings. */
async function furnish(tree: string): Promise<void> {
  for (const [name, { password, sudo }] of Object.entries(labUsers)) {
    await runProgram('chroot', [tree, 'useradd', '--create-home', '--shell', '/bin/bash', name]);
    await runProgram('chroot', [tree, 'chpasswd'], { input: `${name}:${password}\n` });
    if (sudo !== 'none') {
      const rule = `${name} ALL=(ALL:ALL) ${sudo === 'free' ? 'NOPASSWD: ' : ''}ALL\n`;
      writeFileSync(join(tree, 'etc/sudoers.d', name), rule, { mode: 0o440 });
    }
  }
  await runProgram('systemctl', ['--root', tree, '--quiet', 'mask', ...masked]);
  await runProgram('systemctl', ['--root', tree, '--quiet', 'set-default', 'multi-user.target']);
  for (const name of readdirSync(join(tree, 'etc/ssh'))) {
    if (name.startsWith('ssh_host_')) rmSync(join(tree, 'etc/ssh', name));
  }
  const sshd = ['HostKey /etc/ssh/ssh_host_ed25519_key', 'UseDNS no', 'MaxStartups 50', ''];
  writeFileSync(join(tree, 'etc/ssh/sshd_config.d/lab.conf'), sshd.join('\n'));
  writeFileSync(join(tree, 'etc/machine-id'), 'uninitialized\n');
  rmSync(join(tree, 'var/cache/apt'), { recursive: true, force: true });
  rmSync(join(tree, 'var/lib/apt/lists'), { recursive: true, force: true });
}
