import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const oldest = /** @type {const} */ ([20, 19]);

/**
 * Installs the npm packages of the lock file, unless they are installed. Compiles nothing.
 *
 * @param {string} root
 */
export function ensureInstall(root) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    throw new Error(`mqttlab needs Node ${oldest.join('.')} or later; this is ${process.version}.`);
  }
  const stamp = join(root, 'node_modules', '.mqttlab-installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing npm packages ...');
  const done = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0) throw new Error('npm ci failed; its output is above.');
  writeFileSync(stamp, wanted);
}
