// The library requires this import before it is loaded.

import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A certificate and its private key (PKCS #8), both PEM (RFC 7468). */
export interface PemPair {
  certificate: string;
  privateKey: string;
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;
const keyBlock = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/;

/** Both parts are in one file, so that they always belong together; null if there is no file or no valid pair. */
export async function readPemPair(path: string): Promise<PemPair | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const { certificate, privateKey } = findPemBlocks(text);
  return certificate === null || privateKey === null ? null : { certificate, privateKey };
}

/** Returns the first certificate and the first private key in a text, each with a final newline. */
export function findPemBlocks(text: string): { [Part in keyof PemPair]: string | null } {
  const certificate = certificateBlock.exec(text)?.[0];
  const privateKey = keyBlock.exec(text)?.[0];
  return {
    certificate: certificate === undefined ? null : `${certificate}\n`,
    privateKey: privateKey === undefined ? null : `${privateKey}\n`,
  };
}

/** Replaces the file atomically, readable by its owner only (0600); returns its content. Throws the system's error. */
export async function writePemPair(path: string, untidy: PemPair): Promise<PemPair> {
  const pair = tidy(untidy);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}.draft`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(pair.certificate + pair.privateKey);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return pair;
  } catch (error) {
    // The caller needs the cause.
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

function tidy({ certificate, privateKey }: PemPair): PemPair {
  return { certificate: `${certificate.trim()}\n`, privateKey: `${privateKey.trim()}\n` };
}

export * from '@peculiar/x509';
