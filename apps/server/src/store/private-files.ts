import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Names in the data folder: files, and folders for keys, agents and programs. */
const stateName = /^(mqttlab\.(db|lock|key).*|pki|ssh|tls|agents|cache)$/;

export function isStateName(name: string): boolean {
  return stateName.test(name);
}

/** Removes the access of other users to the server's files, which an earlier version may have left open. */
export function makeStatePrivate(folder: string): void {
  for (const name of readdirSync(folder)) if (isStateName(name)) makePrivate(join(folder, name));
}

/** Removes access including all contents. Links are not followed. The owner keeps all permissions. */
function makePrivate(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700);
  if (found.isDirectory()) for (const name of readdirSync(path)) makePrivate(join(path, name));
}

/** Creates the file if it is missing, so that its next writer does not create it as readable by others. */
export function touchPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/** Writes a file atomically, readable only by its owner. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
