import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import { ensureServerKey, isReadable, makeKeyPair } from './log-in.ts';

it('keeps one key permanently, readable by its owner only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const made = ensureServerKey(join(folder, 'ssh'));
  expect(ensureServerKey(join(folder, 'ssh'))).toEqual(made);
  expect(made.publicLine).toMatch(/^ssh-ed25519 \S+ mqttlab$/);
  expect(statSync(join(folder, 'ssh', 'id_ed25519')).mode & 0o777).toBe(0o600);
  expect(isReadable({ private: made.privateKey, public: made.publicLine })).toBe(true);
});

it('creates another key if the first cannot be read again', () => {
  const generate = () => ssh2.utils.generateKeyPairSync('ed25519');
  let broken = generate();
  for (let tries = 0; isReadable(broken) && tries < 20_000; tries += 1) broken = generate();
  expect(isReadable(broken)).toBe(false);
  const good = makeKeyPair();
  const given = [broken, good];
  expect(makeKeyPair(() => given.shift() ?? good)).toBe(good);
  // A fault of the library must not block the server forever.
  let made = 0;
  const generateBroken = () => {
    made += 1;
    if (made > 1_000) throw new Error('it does not end');
    return broken;
  };
  expect(() => makeKeyPair(generateBroken)).toThrow(/20 SSH keys/);
});
