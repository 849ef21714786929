import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Runtime that mqttlab needs: OpenSSL 3.5 and node:sqlite. */
const neededMajor = 24;

/**
 * Returns the path of a Node 24 or later: this one, or the optional dependency that npm installed. Throws if there is
 * none.
 *
 * @param {string} root
 */
export function findNode(root) {
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  try {
    // npm may install it in a folder above the package.
    return createRequire(join(root, 'package.json')).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    throw new Error(
      `mqttlab runs on Node ${neededMajor}; this is ${process.version} and no binary came with npm for ` +
        `${process.platform}-${process.arch}. Install Node ${neededMajor} (nodejs.org) and try again.`,
    );
  }
}
