import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@mqttlab/shared/kit/failure';
import type { DeviceLogin } from '@mqttlab/shared/messages/devices';
import ssh2 from 'ssh2';

import type { HostKey, SshAddress } from './ssh-host.ts';
import { SshSession } from './ssh-session.ts';

export interface LoginRequest extends SshAddress {
  user: string;
  hostKey: HostKey;
}

const addKeyScript = `
set -eu
umask 077
mkdir -p "$HOME/.ssh"
file="$HOME/.ssh/authorized_keys"
touch "$file"
grep -qxF -- "$1" "$file" && exit 0
[ -z "$(tail -c 1 "$file")" ] || echo >> "$file"
printf '%s\\n' "$1" >> "$file"
`;

/** Keeps the file and folder only if they have other content. */
const removeKeyScript = `
set -eu
umask 077
file="$HOME/.ssh/authorized_keys"
[ -f "$file" ] || exit 0
grep -vxF -- "$1" "$file" > "$file.mqttlab" || true
cat "$file.mqttlab" > "$file"
rm -f "$file.mqttlab"
[ -s "$file" ] || rm -f "$file"
rmdir "$HOME/.ssh" 2> /dev/null || true
`;

/** Logs in with the server's own key. Rejects with Failure. */
export function logInAsServer(
  request: LoginRequest,
  key: ServerKey,
  signal?: AbortSignal,
): Promise<SshSession> {
  const { user, ...rest } = request;
  const login = { kind: 'key', user, privateKey: key.privateKey } as const;
  return SshSession.connect({ ...rest, login, ...(signal && { signal }) });
}

/**
 * Opens a session with the server's own key. If the device does not have the key yet, `login` is used once to
 * add it; the key is then tested before any other step. Rejects with Failure.
 */
export async function logIn(
  request: LoginRequest,
  key: ServerKey,
  login: DeviceLogin,
  signal?: AbortSignal,
): Promise<{ session: SshSession; detail: string }> {
  const first = await logInAsServer(request, key, signal).catch((error: unknown) => {
    const refused = error instanceof Failure && error.code === 'key-refused';
    if (refused && login.kind !== 'server-key') return null;
    throw refused ? serverKeyUnknown(request.user, key) : error;
  });
  if (first !== null) return { session: first, detail: "with the server's own key" };
  const { user, ...rest } = request;
  const guest = await SshSession.connect({
    ...rest,
    login: credentialsOf(user, login),
    ...(signal && { signal }),
  });
  const end = (): void => guest.end();
  signal?.addEventListener('abort', end);
  try {
    await guest.mustRun(['sh', '-c', addKeyScript, 'add-key', key.publicLine]);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
  const session = await logInAsServer(request, key, signal);
  return { session, detail: "the server's own key was added" };
}

/** Removes the server's key from the device; this is the last use of the key. */
export async function forgetServerKey(session: SshSession, key: ServerKey): Promise<void> {
  await session.mustRun(['sh', '-c', removeKeyScript, 'remove-key', key.publicLine]);
}

function credentialsOf(user: string, login: DeviceLogin) {
  if (login.kind === 'password') return { kind: 'password' as const, user, password: login.password };
  if (login.kind === 'server-key') throw new Error('a login with the server key needs no credentials');
  const { privateKey, passphrase } = login;
  return { kind: 'key' as const, user, privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
}

function serverKeyUnknown(user: string, key: ServerKey): Failure {
  const report = {
    code: 'key-refused',
    message: `The device does not accept the server's key for ${user}.`,
    remedy: `Add this line to ${user}'s ~/.ssh/authorized_keys, or log in with the password once: ${key.publicLine}`,
  };
  return new Failure(report, { cause: { field: 'login' } });
}

/** The key with which the server logs in to its devices. */
export interface ServerKey {
  privateKey: string;
  /** The public key as one line for authorized_keys. */
  publicLine: string;
}

interface KeyPair {
  private: string;
  public: string;
}

/** Returns the Ed25519 key in a file that only the server's user can read; creates it on first use. */
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

/** One key in 256 fails, so this many consecutive failures have another cause. */
const maxKeyAttempts = 20;

/**
 * Creates a key pair. ssh2 1.17 drops a leading zero byte, so one key in 256 cannot be read back; in that
 * case another key is created.
 */
export function makeKeyPair(
  generate: () => KeyPair = () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'mqttlab' }),
): KeyPair {
  for (let attempt = 1; attempt <= maxKeyAttempts; attempt += 1) {
    const pair = generate();
    if (isReadable(pair)) return pair;
  }
  throw new Error(`ssh2 made ${maxKeyAttempts} SSH keys that it cannot read`);
}

export function isReadable({ private: privateKey, public: publicLine }: KeyPair): boolean {
  const secret = ssh2.utils.parseKey(privateKey);
  const known = ssh2.utils.parseKey(publicLine);
  if (secret instanceof Error || known instanceof Error) return false;
  const challenge = Buffer.from('mqttlab');
  const signature = secret.sign(challenge);
  return Buffer.isBuffer(signature) && known.verify(challenge, signature) === true;
}
