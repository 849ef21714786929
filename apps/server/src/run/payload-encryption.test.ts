import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

describe('payload ciphers on the built-in testbed', () => {
  let rig: Rig;
  let life: Life;
  let experimentId = 0;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.whenReady(240_000)).toBe(true);
  });
  afterAll(() => rig.remove());

  const levels = ['none', 'aes-256-gcm', 'ascon-aead128', 'ecdh-p256-aes-128-cbc-as-published'];

  it('measures every cipher in both encodings, with everything received', async () => {
    const draft = makeTinyDraft({
      factors: {
        security: ['plain'],
        qos: [1],
        payloadCipher: levels,
        payloadEncoding: ['binary', 'base64 in JSON'],
        readingBytes: [100],
        rate: [200],
      },
      workload: makeWorkload({ warmUpMs: 1_500, measureMs: 500, drainTimeoutMs: 5_000, window: 100 }),
      repetitions: 1,
    });
    const { id } = addExperiment(life, draft);
    experimentId = id;
    await life.scheduler.act(id, 'start');
    await eventually('everything done', () => life.experiments.findExperiment(id)?.status === 'done');
    const runs = life.runs.listRuns(id);
    expect(runs).toHaveLength(8);
    expect(runs.map(({ status, failure }) => [status, failure])).toEqual(runs.map(() => ['done', null]));
    for (const run of runs) {
      const spec = life.runs.findRunDetail(run.id)?.treatment.spec;
      const encrypted = spec?.payloadCipher !== null;
      const { metrics } = run;
      const verdict = (name: string) => run.verdicts.find((entry) => entry.id === name)?.status;
      expect(verdict('nothing-lost')).toBe('passed');
      expect(metrics).toMatchObject({
        'count.sent': 100,
        'count.received': 100,
        'count.lost': 0,
        'count.unauthentic': 0,
        'count.replayed': 0,
        'count.malformed': 0,
      });
      for (const id of [
        'encryption.mean',
        'decryption.p50',
        'randomness.apEn.passed',
        'payload.cpuShare.publisher',
      ]) {
        if (encrypted) expect(metrics[id]).toBeGreaterThan(0);
        else expect(metrics[id]).toBeNull();
      }
      const added = metrics['payload.expansion'] ?? Number.NaN;
      if (spec?.payloadEncoding === 'binary') expect(added).toBe(encrypted ? 28 : 0);
      else expect(added).toBe(26 + 4 * Math.ceil((100 + (encrypted ? 28 : 0)) / 3) - 100);
      const authenticated = spec?.payloadCipher === 'aes-256-gcm' || spec?.payloadCipher === 'ascon-aead128';
      const judged = authenticated || (!encrypted && spec?.payloadEncoding !== 'binary');
      expect(verdict('payloads-authentic')).toBe(judged ? 'passed' : 'not applicable');
    }
  });

  it('stores no key, neither with the results nor in a file of server or agents', () => {
    const key = /payloadKey|ownPrivateKey|peerPublicKey|"secret"/;
    const runs = life.runs.listRuns(experimentId);
    expect(runs).toHaveLength(8);
    for (const { id } of runs) {
      expect(JSON.stringify([life.runs.findRunDetail(id), life.runs.listRoleResults(id)])).not.toMatch(key);
    }
    const entries = readdirSync(rig.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toContain('lab.db');
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(key);
  });
});
