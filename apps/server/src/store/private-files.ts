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

/** What the server keeps in its data folder: files, and folders of keys, agents and programs. */
const stateName = /^(mqttlab\.(db|lock|key).*|pki|ssh|tls|agents|cache)$/;

export function isStateName(name: string): boolean {
  return stateName.test(name);
}

/** Takes away what others may do with the files of the server: they may come from a version that left them open. */
export function makeStatePrivate(folder: string): void {
  for (const name of readdirSync(folder)) if (isStateName(name)) makePrivate(join(folder, name));
}

/** With everything in it; links are left alone. The owner keeps what it may. */
function makePrivate(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700);
  if (found.isDirectory()) for (const name of readdirSync(path)) makePrivate(join(path, name));
}

/** Makes the file where it is missing, so that what writes it next does not make it for everybody. */
export function touchPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/** There as a whole or not at all, readable by its owner only. */
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
