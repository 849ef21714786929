import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';

/** With which the server logs in on its devices. */
export interface ServerKey {
  privateKey: string;
  /** One line for authorized_keys. */
  publicLine: string;
}

interface KeyPair {
  private: string;
  public: string;
}

/** Ed25519 in a file that only the user of the server can read; made when it is not there yet. */
export function ensureServerKey(folder: string): ServerKey {
  const path = join(folder, 'id_ed25519');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const made = makeKeyPair();
    writeFileSync(`${path}.pub`, `${made.public}\n`, { mode: 0o644 });
    writeFileSync(`${path}.part`, made.private, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  }
  chmodSync(path, 0o600);
  return { privateKey: readFileSync(path, 'utf8'), publicLine: readFileSync(`${path}.pub`, 'utf8').trim() };
}

/** ssh2 1.17 drops a leading zero byte, so that one key in 256 cannot be read again: another one is made then. */
export function makeKeyPair(
  generate: () => KeyPair = () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'mqttlab' }),
): KeyPair {
  for (;;) {
    const pair = generate();
    if (isReadable(pair)) return pair;
  }
}

export function isReadable({ private: privateKey, public: publicLine }: KeyPair): boolean {
  const secret = ssh2.utils.parseKey(privateKey);
  const known = ssh2.utils.parseKey(publicLine);
  if (secret instanceof Error || known instanceof Error) return false;
  const challenge = Buffer.from('mqttlab');
  const signature = secret.sign(challenge);
  return Buffer.isBuffer(signature) && known.verify(challenge, signature) === true;
}
