import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Programs the tests drive, and the Debian package of each. */
const tools = [
  ['chromium', 'chromium'],
  ['mosquitto', 'mosquitto'],
  ['mosquitto_pub', 'mosquitto-clients'],
  ['openssl', 'openssl'],
  ['tshark', 'tshark'],
];
const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];

/** Installs what is missing on Debian as root; otherwise names it and throws. */
export function ensureTools() {
  let missing = lacking();
  if (missing.length === 0) return;
  if (isDebian() && process.getuid?.() === 0) {
    console.log(`Installing ${missing.join(', ')} with apt-get ...`);
    apt(['update', '-q']);
    apt(['install', '-y', '-q', '--no-install-recommends', ...missing]);
    missing = lacking();
  }
  if (missing.length > 0) {
    throw new Error(
      `the tests need ${missing.join(', ')}; install them (Debian: apt-get install ${missing.join(' ')}) and try again.`,
    );
  }
}

function lacking() {
  const packages = tools.filter(([program]) => !folders.some((folder) => existsSync(`${folder}/${program}`)));
  return [...new Set(packages.map(([, name]) => name))];
}

function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  );
}

function apt(args) {
  const done = spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (done.status !== 0) throw new Error(`apt-get ${args[0]} failed; its words are above.`);
}
