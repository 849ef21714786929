import type { DeviceLogin } from '@mqttlab/shared/messages/devices';
import { DeviceError } from './device-error.ts';
import { commandFailed } from './elevate.ts';
import type { HostKey } from './host-key.ts';
import type { ServerKey } from './server-key.ts';
import { type SshAddress, SshSession } from './ssh-session.ts';

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

/** Leaves file and folder only where something else is in them. */
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

/** With the server's own key; rejects with DeviceError. */
export function logInAsServer(request: LoginRequest, key: ServerKey): Promise<SshSession> {
  const { user, ...rest } = request;
  return SshSession.connect({ ...rest, login: { kind: 'key', user, privateKey: key.privateKey } });
}

/**
 * A session under the server's own key. Where the device does not know it yet, `login` is used once to put it there,
 * and the key is then tried before anything else is done. Rejects with DeviceError.
 */
export async function logIn(
  request: LoginRequest,
  key: ServerKey,
  login: DeviceLogin,
): Promise<{ session: SshSession; detail: string }> {
  const first = await logInAsServer(request, key).catch((error: unknown) => {
    const refused = error instanceof DeviceError && error.failure.code === 'key-refused';
    if (refused && login.kind !== 'server-key') return null;
    throw refused ? serverKeyUnknown(request.user, key) : error;
  });
  if (first !== null) return { session: first, detail: "with the server's own key" };
  const { user, ...rest } = request;
  const guest = await SshSession.connect({ ...rest, login: credentialsOf(user, login) });
  try {
    const words = ['sh', '-c', addKeyScript, 'add-key', key.publicLine];
    const added = await guest.run(words);
    if (added.code !== 0) throw commandFailed(words, added);
  } finally {
    guest.end();
  }
  const session = await logInAsServer(request, key);
  return { session, detail: "the server's own key is now known there" };
}

/** Takes the server's key from the device again, as the last thing it is used for. */
export async function forgetServerKey(session: SshSession, key: ServerKey): Promise<void> {
  const words = ['sh', '-c', removeKeyScript, 'remove-key', key.publicLine];
  const removed = await session.run(words);
  if (removed.code !== 0) throw commandFailed(words, removed);
}

function credentialsOf(user: string, login: DeviceLogin) {
  if (login.kind === 'password') return { kind: 'password' as const, user, password: login.password };
  if (login.kind === 'server-key') throw new Error('the server has no other key');
  const { privateKey, passphrase } = login;
  return { kind: 'key' as const, user, privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
}

function serverKeyUnknown(user: string, key: ServerKey): DeviceError {
  return new DeviceError({
    code: 'key-refused',
    message: `The device does not know the server's key for ${user}.`,
    remedy: `Add this line to ~/.ssh/authorized_keys of ${user}, or log in with the password once: ${key.publicLine}`,
    field: 'login',
  });
}
