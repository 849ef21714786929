import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFailure } from '../base/errors.ts';
import type { Database } from './database.ts';
import { writePrivateFile } from './private-files.ts';

/**
 * Encrypts secrets that the server must be able to read again, such as passwords of brokers and secrets of
 * webhooks.
 */
export interface SecretBox {
  /**
   * Encrypts a secret. `use` names the table and column: a secret that is encrypted for one use cannot be
   * decrypted for another.
   */
  seal(secret: string, use: string): string;
  /** Decrypts a secret. Returns null if it was encrypted with another key, for another use, or not at all. */
  open(sealed: string, use: string): string | null;
}

/** Columns with encrypted secrets. */
export const secretUses = {
  brokerPassword: 'external_brokers.password',
  webhookSecret: 'webhooks.secret',
  externalDevicePassword: 'external_devices.password',
  externalDevicePayloadKey: 'external_devices.payload_key',
} as const;

const prefix = 'sealed:v1:';
const keyBytes = 32;
/** NIST SP 800-38D: random 96-bit nonces are safe for 2^32 secrets under one key. */
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. */
export function makeSecretBox(key: Buffer): SecretBox {
  return {
    seal(secret, use) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(use));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, use) {
      if (!sealed.startsWith(prefix)) return null;
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
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

/**
 * Reads the key from mqttlab.key in the data folder, which only the server's user can read. Creates the file
 * if it is missing.
 */
export function openSecretBox(folder: string): SecretBox {
  const path = join(folder, 'mqttlab.key');
  if (!existsSync(path)) writePrivateFile(path, `${randomBytes(keyBytes).toString('base64')}\n`);
  chmodSync(path, 0o600);
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (key.length !== keyBytes) {
    throw startFailure(
      `${path} is not a valid key; passwords and secrets in the database are encrypted with it.`,
      'Restore it from a backup, or remove it and enter the passwords again.',
    );
  }
  return makeSecretBox(key);
}

/**
 * Returns the uses of secrets that were encrypted with another key. Users have to enter these secrets again.
 */
export function listUnreadableSecrets(database: Database, box: SecretBox): string[] {
  return Object.values(secretUses).filter((use) =>
    readSealed(database, use).some((sealed) => box.open(sealed, use) === null),
  );
}

/**
 * Returns every secret that can be decrypted, so that data that leaves the server can be searched for them.
 */
export function listSecrets(database: Database, box: SecretBox): string[] {
  return Object.values(secretUses).flatMap((use) =>
    readSealed(database, use).flatMap((sealed) => box.open(sealed, use) ?? []),
  );
}

function readSealed(database: Database, use: string): string[] {
  const [table, column] = use.split('.');
  return database.column(`SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL`);
}
