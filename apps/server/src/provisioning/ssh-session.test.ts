import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { Failure } from '@mqttlab/shared/kit/failure';
import { fc } from '@mqttlab/shared/testing/properties';
import ssh2 from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toDeviceFailure } from './device-errors.ts';

import { fingerprintOf, type SshLogin } from './ssh-host.ts';
import { quoteShell, readHostKey, SshSession } from './ssh-session.ts';
import { makeHostKey, startSshServer } from './testing/ssh-server.ts';

const users = { pi: 'raspberry' };
const byPassword: SshLogin = { kind: 'password', user: 'pi', password: 'raspberry' };

async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return toDeviceFailure(error);
}

async function open(server: { host: string; port: number }, login: SshLogin = byPassword) {
  const session = await SshSession.connect({ ...server, login, hostKey: await readHostKey(server) });
  onTestFinished(() => session.end());
  return session;
}

describe('an SSH session', () => {
  it('receives the exit code of a command that ends immediately', async () => {
    const server = await startSshServer({
      users,
      onCommand: (_command, channel) => {
        channel.write('out');
        channel.stderr.write('err');
        channel.exit(3);
        channel.end();
      },
    });
    const session = await open(server);
    for (let i = 0; i < 10; i += 1) {
      expect(await session.run(['x'])).toEqual({ code: 3, stdout: 'out', stderr: 'err' });
    }
  });

  it('sends arguments as one quoted line, whatever they contain', async () => {
    const server = await startSshServer({ users });
    const { stdout } = await (await open(server)).run(['echo', "it's $(id)", ';', '']);
    expect(stdout).toBe(`'echo' 'it'\\''s $(id)' ';' ''`);
  });

  it('shows the fingerprint as ssh-keygen does, without logging in', async () => {
    const server = await startSshServer({ users });
    const key = await readHostKey(server);
    const known = ssh2.utils.parseKey(server.hostKey);
    if (known instanceof Error) throw known;
    expect(fingerprintOf(key.blob)).toBe(fingerprintOf(known.getPublicSSH()));
    expect(key.algorithm).toBe('ssh-ed25519');
    expect(server.attempts).toEqual([]);
  });

  it('sends nothing to a host whose key has changed', async () => {
    const server = await startSshServer({ users });
    const pinned = await readHostKey(server);
    await server.stop();
    const other = await startSshServer({ users, hostKey: makeHostKey(), port: server.port });
    const failure = await failureOf(SshSession.connect({ ...other, login: byPassword, hostKey: pinned }));
    expect(failure).toMatchObject({ code: 'host-key-changed', field: 'fingerprint' });
    expect(failure.message).toContain(fingerprintOf(pinned.blob));
    expect(other.attempts).toEqual([]);
  });

  it('rejects pending calls when the device disconnects', async () => {
    const server = await startSshServer({ users, onCommand: () => undefined });
    const session = await open(server);
    const waiting = failureOf(session.run(['sleep']));
    await expect.poll(() => server.commands.length).toBe(1);
    await server.stop();
    expect(await waiting).toMatchObject({ code: 'connection-lost' });
    await session.closed;
    expect(await failureOf(session.run(['true']))).toMatchObject({ code: 'connection-lost' });
  });

  it('times out if a command does not end', async () => {
    const server = await startSshServer({ users, onCommand: () => undefined });
    const session = await open(server);
    const failure = await failureOf(session.run(['sleep'], { timeoutMs: 50 }));
    expect(failure.message).toContain('no answer within');
  });

  it('reports that ports are not forwarded', async () => {
    const server = await startSshServer({ users, forwardPort: null });
    const session = await open(server);
    const failure = await failureOf(session.forwardFromDevice(() => undefined));
    expect(failure).toMatchObject({ code: 'forward-refused' });
    expect(failure.remedy).toContain('AllowTcpForwarding');
  });
});

describe('a login that fails', () => {
  it('names the password', async () => {
    const server = await startSshServer({ users });
    const failure = await failureOf(open(server, { ...byPassword, password: 'wrong-secret' }));
    expect(failure).toMatchObject({ code: 'password-refused', field: 'login.password' });
    expect(JSON.stringify(failure)).not.toContain('wrong-secret');
  });

  it('names the key', async () => {
    const server = await startSshServer({ users, keys: [] });
    const privateKey = makeHostKey();
    const failure = await failureOf(open(server, { kind: 'key', user: 'pi', privateKey }));
    expect(failure).toMatchObject({ code: 'key-refused', field: 'login.privateKey' });
  });

  it('names a key that cannot be read, and one whose passphrase is wrong', async () => {
    const server = await startSshServer({ users });
    const broken = await failureOf(open(server, { kind: 'key', user: 'pi', privateKey: 'no key' }));
    expect(broken).toMatchObject({ code: 'key-unreadable' });
    const locked = ssh2.utils.generateKeyPairSync('ed25519', {
      passphrase: 'right',
      cipher: 'aes256-cbc',
      rounds: 1,
    }).private;
    const login = { kind: 'key' as const, user: 'pi', privateKey: locked, passphrase: 'wrong' };
    expect(await failureOf(open(server, login))).toMatchObject({ code: 'key-unreadable' });
  });

  it('names a closed port', async () => {
    const server = await startSshServer({ users });
    await server.stop();
    expect(await failureOf(readHostKey(server))).toMatchObject({ code: 'port-closed', field: 'port' });
  });

  it('names an unknown host', async () => {
    const failure = await failureOf(readHostKey({ host: 'no-such-host.invalid', port: 22 }));
    expect(failure).toMatchObject({ code: 'host-unknown', field: 'host' });
  });

  it('names a port where something else answers', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    expect(await failureOf(readHostKey({ host: '127.0.0.1', port }))).toMatchObject({
      code: 'ssh-failed',
      field: 'port',
    });
  });

  it('names a host that temporarily refuses this address', async () => {
    const strict = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void strict.close());
    const { port } = strict.address() as { port: number };
    const failure = await failureOf(readHostKey({ host: '127.0.0.1', port }));
    expect(failure).toMatchObject({ code: 'turned-away' });
    expect(failure.remedy).toContain('wait a minute');
  });

  it('names a host that accepts the connection and sends nothing', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const server = await startSshServer({ users });
    const hostKey = await readHostKey(server);
    const silence = SshSession.connect({
      host: '127.0.0.1',
      port,
      hostKey,
      login: byPassword,
      timeoutMs: 100,
    });
    expect(await failureOf(silence)).toMatchObject({ code: 'unreachable' });
  });
});

/** How a real shell parses the line. */
function wordsOf(line: string): string[] {
  const { stdout, status } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`]);
  expect(status).toBe(0);
  return stdout.toString('utf8').split('\0').slice(0, -1);
}

describe('quoteShell', () => {
  it.each([
    ["'; touch /tmp/owned; '"],
    ['$(touch /tmp/owned)'],
    ['`touch /tmp/owned`'],
    ['a\nb'],
    ['-rf'],
    ['*'],
    ['~root'],
    ['\\'],
    ['!!'],
    ['"'],
    [''],
  ])('keeps %j one word', (word) => {
    expect(wordsOf(quoteShell([word, 'next']))).toEqual([word, 'next']);
  });

  it('keeps any arguments unchanged', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        expect(wordsOf(quoteShell(words))).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses characters that no argument can contain', () => {
    expect(() => quoteShell(['a\0b'])).toThrow('NUL');
  });
});
