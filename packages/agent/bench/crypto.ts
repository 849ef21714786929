import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expansionBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { type BenchRow, figure, makeRow, median } from '@mqttlab/shared/testing/bench';
import type { PayloadCipher } from '../src/payload/ciphers/payload-cipher.ts';
import { payloadCiphers } from '../src/payload/payload-ciphers.ts';

const minRatio = 0.8;
const sizes = [1_024, 5_120, 10_240, 65_536];
const warmUpMessages = 2_000;
const probeMessages = 20;
const rounds = 5;
const roundMs = 40;

/**
 * Arguments of `openssl speed` by cipher; the times of several algorithms are added. It does not support EAX.
 */
const references: Readonly<Record<string, readonly string[]>> = {
  'aes-128-gcm': ['-evp aes-128-gcm'],
  'aes-256-gcm': ['-evp aes-256-gcm'],
  'chacha20-poly1305': ['-evp chacha20-poly1305'],
  'aes-128-ccm-8': ['-evp aes-128-ccm'],
  'aes-256-ccm-8': ['-evp aes-256-ccm'],
  'aes-128-ctr-hmac-sha256': ['-evp aes-128-ctr', '-hmac sha256'],
  'ecdh-p256-aes-128-cbc-as-published': ['-evp aes-128-cbc'],
  'ecdh-p256-aes-128-gcm': ['-evp aes-128-gcm'],
};

/**
 * Encrypts with every payload cipher, one message after the other like the publisher. Results are in MB (10^6
 * bytes) of payload per second of CPU time, so that a busy machine has little effect. `openssl speed` also
 * counts CPU time, but without an object, nonce, associated data and tag per block.
 */
export async function benchCrypto(repetitions: number): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const bytes of sizes) {
    const opensslRate = makeOpensslRates(bytes);
    for (const cipher of payloadCiphers) {
      const pairs: { own: number; openssl: number | null }[] = [];
      for (let i = 0; i < repetitions; i += 1) {
        pairs.push({ own: await measureOwn(cipher, bytes), openssl: await opensslRate(cipher.id, i) });
      }
      rows.push(rowOf({ cipher, bytes }, pairs));
    }
  }
  return rows;
}

function rowOf(
  { cipher, bytes }: { cipher: PayloadCipher; bytes: number },
  pairs: readonly { own: number; openssl: number | null }[],
): BenchRow {
  const value = median(pairs.map(({ own }) => own));
  const us = (bytes / value).toPrecision(3);
  const name = `encrypt ${bytes} B with ${cipher.id} (${cipher.implementation}), ${us} µs each`;
  const ratios = pairs.flatMap(({ own, openssl }) => (openssl === null ? [] : [own / openssl]));
  const unit = 'MB/s';
  if (ratios.length === 0) return figure(name, value, unit);
  const beside = { program: 'openssl speed', reference: value / median(ratios) };
  return makeRow({ name, value, unit, atLeast: minRatio, beside });
}

/**
 * Returns MB/s of CPU time from the fastest of several rounds, because disturbances can only slow a round
 * down.
 */
async function measureOwn(cipher: PayloadCipher, bytes: number): Promise<number> {
  const end = (await cipher.prepare(randomBytes(cipher.keyBytes)))();
  const plain = randomBytes(bytes);
  const topic = Buffer.from('mqttlab/bench');
  const out = Buffer.alloc(bytes + expansionBytesOf(cipher, bytes));
  const run = (messages: number) => {
    for (let i = 0; i < messages; i += 1) end.encrypt(plain, out, topic);
  };
  run(Math.ceil((warmUpMessages * 1_024) / bytes));
  const messages = Math.ceil((probeMessages * roundMs * 1_000) / cpuUs(() => run(probeMessages)));
  const perMessageUs = Array.from({ length: rounds }, () => cpuUs(() => run(messages)) / messages);
  return bytes / Math.min(...perMessageUs);
}

/** Returns the CPU time of this entire process in µs, including garbage collection and compilation. */
function cpuUs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}

/** Returns MB/s from `openssl speed` for blocks of `bytes`, run once per repetition. */
function makeOpensslRates(bytes: number) {
  const known = new Map<string, Promise<number>>();
  const ask = (question: string, repetition: number) => {
    const key = `${question} ${repetition}`;
    const rate = known.get(key) ?? runOpensslSpeed(question, bytes);
    known.set(key, rate);
    return rate;
  };
  return async (cipherId: string, repetition: number): Promise<number | null> => {
    const questions = references[cipherId];
    if (questions === undefined) return null;
    let usPerByte = 0;
    for (const question of questions) usPerByte += 1 / (await ask(question, repetition));
    return 1 / usPerByte;
  };
}

async function runOpensslSpeed(question: string, bytes: number): Promise<number> {
  const args = ['speed', '-mr', '-seconds', '1', '-bytes', String(bytes), ...question.split(' ')];
  const { stdout } = await promisify(execFile)('openssl', args);
  // +F:25:AES-128-GCM:1419883276.19 is in bytes per second.
  const rate = Number(/^\+F:.*:([\d.]+)$/m.exec(stdout)?.[1]);
  if (!(rate > 0)) throw new Error(`openssl ${args.join(' ')} gave no rate`);
  return rate / 1e6;
}
