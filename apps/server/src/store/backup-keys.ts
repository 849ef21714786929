import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import * as z from 'zod';
import { startFailure } from '../base/errors.ts';

/** A file of the data folder, with its relative path. */
export interface BackupFile {
  path: string;
  content: Uint8Array;
}

/** Encrypted private files as stored in a backup. */
export interface SealedKeys {
  /** JSON of `headerSchema`: the parameters for decryption, except the passphrase. */
  header: string;
  /** Ciphertext, then the authentication tag. */
  content: Uint8Array;
}

/** Limits prevent a forged backup from using all memory. */
const headerSchema = z.strictObject({
  keyDerivation: z.literal('scrypt'),
  cost: z
    .int()
    .min(2 ** 14)
    .max(2 ** 20),
  blockSize: z.int().min(1).max(16),
  parallelization: z.int().min(1).max(16),
  salt: z.base64(),
  cipher: z.literal('aes-256-gcm'),
  nonce: z.base64(),
});
type Header = z.infer<typeof headerSchema>;

const filesSchema = z.array(z.strictObject({ path: z.string(), content: z.base64() }));

const tagBytes = 16;
const minPassphraseLength = 12;

/**
 * Encrypts files with AES-256-GCM under a key that scrypt derives from the passphrase (RFC 7914; 128 MiB of memory).
 * Throws a start failure if the passphrase is too short.
 */
export function sealKeys(files: readonly BackupFile[], passphrase: string): SealedKeys {
  if (passphrase.length < minPassphraseLength) {
    throw startFailure(
      `The passphrase has fewer than ${minPassphraseLength} characters.`,
      'Choose a longer one: guesses at a copied backup are not limited.',
    );
  }
  const nonce = randomBytes(12);
  const parameters: Header = {
    keyDerivation: 'scrypt',
    cost: 2 ** 17,
    blockSize: 8,
    parallelization: 1,
    salt: randomBytes(16).toString('base64'),
    cipher: 'aes-256-gcm',
    nonce: nonce.toString('base64'),
  };
  const header = JSON.stringify(parameters);
  const packed = files.map(({ path, content }) => ({
    path,
    content: Buffer.from(content).toString('base64'),
  }));
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, parameters), nonce).setAAD(
    Buffer.from(header),
  );
  const body = [cipher.update(JSON.stringify(packed), 'utf8'), cipher.final()];
  return { header, content: Buffer.concat([...body, cipher.getAuthTag()]) };
}

/** Throws a start failure if the passphrase is wrong or the backup was changed. */
export function openKeys({ header, content }: SealedKeys, passphrase: string): BackupFile[] {
  try {
    const parameters = headerSchema.parse(JSON.parse(header));
    const nonce = Buffer.from(parameters.nonce, 'base64');
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv('aes-256-gcm', deriveKey(passphrase, parameters), nonce, options);
    decipher.setAAD(Buffer.from(header)).setAuthTag(content.subarray(-tagBytes));
    const body = [decipher.update(content.subarray(0, -tagBytes)), decipher.final()];
    const files = filesSchema.parse(JSON.parse(Buffer.concat(body).toString('utf8')));
    return files.map((file) => ({ path: file.path, content: Buffer.from(file.content, 'base64') }));
  } catch {
    throw startFailure(
      'The keys of the backup cannot be decrypted: the passphrase is wrong, or the file was changed.',
      'Enter the passphrase of the backup, or omit --with-keys to restore the rest.',
    );
  }
}

function deriveKey(passphrase: string, { cost, blockSize, parallelization, salt }: Header): Buffer {
  return scryptSync(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, {
    cost,
    blockSize,
    parallelization,
    maxmem: 128 * cost * blockSize + 128 * blockSize * parallelization + 2 ** 20,
  });
}
