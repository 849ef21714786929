import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { labUsers } from './base-tree.ts';
import type { LabPaths } from './lab-paths.ts';
import type { LabDevice, LabState } from './lab-state.ts';
import { runProgram, tryProgram } from './run-program.ts';

/** Paths of one device. */
export function deviceFolders({ folder }: LabPaths, { name }: Pick<LabDevice, 'name'>) {
  const own = join(folder, name);
  return { own, upper: join(own, 'upper'), work: join(own, 'work'), root: join(own, 'root') };
}

/**
 * The file system of a device: the shared tree with a separate overlay, which survives a power cut of the
 * device and is removed with the lab. The overlay contains its name, host keys and the lab's key.
 */
export async function makeDeviceRoot(paths: LabPaths, state: LabState, device: LabDevice): Promise<string> {
  const { upper, work, root } = deviceFolders(paths, device);
  for (const folder of [upper, work, root]) mkdirSync(folder, { recursive: true });
  chmodSync(upper, 0o755);
  await runProgram('mount', [
    '-t',
    'overlay',
    `mqttlab-${state.name}`,
    '-o',
    `lowerdir=${state.tree},upperdir=${upper},workdir=${work}`,
    root,
  ]);
  writeFileSync(join(root, 'etc/hostname'), `${device.name}\n`);
  const names = state.devices.map(({ addresses, name }) => `${addresses.ethernet} ${name}`);
  writeFileSync(
    join(root, 'etc/hosts'),
    ['127.0.0.1 localhost', `127.0.1.1 ${device.name}`, ...names, ''].join('\n'),
  );
  await makeKey(join(root, 'etc/ssh/ssh_host_ed25519_key'), device.name);
  for (const user of Object.keys(labUsers)) {
    const folder = join(root, 'home', user, '.ssh');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'authorized_keys'), readFileSync(`${state.keyFile}.pub`), { mode: 0o600 });
    await runProgram('chroot', [root, 'chown', '-R', `${user}:${user}`, `/home/${user}/.ssh`]);
  }
  return root;
}

export async function makeKey(path: string, comment: string): Promise<void> {
  rmSync(path, { force: true });
  await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path]);
}

/** Fingerprint of the host key in this tree, as printed by `ssh-keygen -l`. */
export function readFingerprint(root: string): string {
  const [, blob = ''] = readFileSync(join(root, 'etc/ssh/ssh_host_ed25519_key.pub'), 'utf8').split(' ');
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** Unmounts everything in the folder of a lab, innermost first. */
export async function unmountAll(folder: string): Promise<void> {
  const mounted = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length);
  for (const path of mounted) {
    const { code } = await tryProgram('umount', [path]);
    if (code !== 0) await runProgram('umount', ['--lazy', path]);
  }
}

/** Refuses to remove mounted folders, which would delete files of a running device. */
export async function removeFolder(folder: string): Promise<void> {
  await unmountAll(folder);
  if (existsSync(folder) && readdirSync(folder).length >= 0) {
    await runProgram('rm', ['-rf', '--one-file-system', folder]);
  }
}
