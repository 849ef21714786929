import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from './project.mjs';

/** @typedef {readonly (readonly [program: string, debianPackage: string])[]} Tools */

/**
 * Programs that the tests use, and the Debian package of each.
 *
 * @type {Tools}
 */
const tools = [
  ['chromium-headless-shell', 'chromium-headless-shell'],
  ['mosquitto', 'mosquitto'],
  ['mosquitto_pub', 'mosquitto-clients'],
  ['openssl', 'openssl'],
  ['mkfs.ext4', 'e2fsprogs'],
  ['tshark', 'tshark'],
  ['rabbitmq-server', 'rabbitmq-server'],
  ['faketime', 'faketime'],
  ['nft', 'nftables'],
  ['tc', 'iproute2'],
];

/**
 * Programs that build the virtual lab.
 *
 * @type {Tools}
 */
const labTools = [
  ['debootstrap', 'debootstrap'],
  ['systemd-nspawn', 'systemd-container'],
  ['ssh-keygen', 'openssh-client'],
  ['nft', 'nftables'],
  ['ip', 'iproute2'],
  ['nsenter', 'util-linux'],
];
const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];

/** Ends the script with a sentence where one is missing and cannot be installed. `lab`: those of the virtual lab too. */
export function ensureTools({ lab = false } = {}) {
  try {
    ensure(tools, 'the tests', hasVenv() ? [] : ['python3', 'python3-venv']);
    if (lab) ensureLabTools();
  } catch (error) {
    console.error(`mqttlab: ${messageOf(error)}`);
    process.exit(1);
  }
}

/** Debian has a separate package for Python environments. */
function hasVenv() {
  return spawnSync('python3', ['-c', 'import ensurepip, venv'], { stdio: 'ignore' }).status === 0;
}

export function ensureLabTools() {
  ensure(labTools, 'the virtual lab');
}

/** True if R is installed; tries to install it. Only one suite needs it. */
export function ensureR() {
  try {
    ensure([['Rscript', 'r-base-core']], 'the R scripts');
    return true;
  } catch (error) {
    console.error(`Left out: the R script. ${messageOf(error)}`);
    return false;
  }
}

/**
 * Installs missing programs on Debian as root, otherwise throws and names them.
 *
 * @param {Tools} wanted
 * @param {string} who
 * @param {readonly string[]} [besides] more Debian packages
 */
function ensure(wanted, who, besides = []) {
  let missing = [...lacking(wanted), ...besides];
  if (missing.length === 0) return;
  if (isDebian() && process.getuid?.() === 0) {
    console.error(`Installing ${missing.join(', ')} with apt-get ...`);
    apt(['update', '-q']);
    apt(['install', '-y', '-q', '--no-install-recommends', ...missing]);
    missing = lacking(wanted);
  }
  if (missing.length > 0) {
    throw new Error(
      `${who} need${who.endsWith('s') ? '' : 's'} ${missing.join(', ')}; install them (Debian: apt-get install ${missing.join(' ')}) and try again.`,
    );
  }
}

/** @param {Tools} wanted */
function lacking(wanted) {
  const packages = wanted.filter(
    ([program]) => !folders.some((folder) => existsSync(`${folder}/${program}`)),
  );
  return [...new Set(packages.map(([, name]) => name))];
}

function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  );
}

/** @param {readonly string[]} args */
function apt(args) {
  const done = spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // Runlevel 1: a service that comes with a package is not started (invoke-rc.d(8)).
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  if (done.status !== 0) throw new Error(`apt-get ${args[0]} failed; its output is above.`);
}
