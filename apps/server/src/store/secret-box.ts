import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../base/errors.ts';
import { writePrivateFile } from './private-files.ts';

/** Encrypts what the server must be able to read again: passwords of brokers, secrets of webhooks. */
export interface SecretBox {
  /** `use` names the table and column: what is sealed for one opens for no other. */
  seal(secret: string, use: string): string;
  /** What was stored before there was a key opens as it is; null where the key is another one. */
  open(stored: string, use: string): string | null;
}

const prefix = 'sealed:v1:';
const keyBytes = 32;
/** NIST SP 800-38D: 96-bit nonces, at random, are good for 2^32 secrets under one key. */
const nonceBytes = 12;
const tagBytes = 16;

export function isSealed(stored: string): boolean {
  return stored.startsWith(prefix);
}

/** AES-256-GCM. */
export function makeSecretBox(key: Buffer): SecretBox {
  return {
    seal(secret, use) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(use));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(stored, use) {
      if (!isSealed(stored)) return stored;
      const bytes = Buffer.from(stored.slice(prefix.length), 'base64');
      const nonce = bytes.subarray(0, nonceBytes);
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
      try {
        const options = { authTagLength: tagBytes };
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, options).setAAD(Buffer.from(use));
        decipher.setAuthTag(tag);
        const body = bytes.subarray(nonceBytes + tagBytes);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** With the key in a file of the data folder that only the server's user reads; made on the first start. */
export function openSecretBox(folder: string): SecretBox {
  const path = join(folder, 'mqttlab.key');
  if (!existsSync(path)) writePrivateFile(path, `${randomBytes(keyBytes).toString('base64')}\n`);
  chmodSync(path, 0o600);
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (key.length !== keyBytes) {
    throw new StartError(
      `${path} is no key: passwords and secrets in the database are encrypted with it.`,
      'Put it back from a backup; or remove it, and give the passwords again.',
    );
  }
  return makeSecretBox(key);
}
