import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

describe('captures on the built-in testbed', () => {
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.whenReady(240_000)).toBe(true);
  });
  afterAll(() => rig.remove());

  it('stores packets and keys with the run, with their access rules', async () => {
    const { id } = addExperiment(
      life,
      makeTinyDraft({
        factors: {
          security: ['plain', 'TLS 1.3'],
          qos: [1],
          rate: [200],
          capture: ['full'],
          keyLog: ['kept'],
        },
        workload: makeWorkload({ warmUpMs: 1_500, measureMs: 300, drainTimeoutMs: 5_000, window: 100 }),
        repetitions: 1,
      }),
    );
    await life.scheduler.act(id, 'start');
    await eventually('everything done', () => life.experiments.findExperiment(id)?.status === 'done');
    const runs = life.runs.listRuns(id);
    expect(runs.map(({ status, failure }) => [status, failure])).toEqual(runs.map(() => ['done', null]));
    for (const run of runs) {
      const detail = life.runs.findRunDetail(run.id)!;
      const isPlain = detail.treatment.spec.security === 'plain';
      const names = detail.files.map(({ name }) => name);
      expect(names.toSorted()).toEqual(isPlain ? ['capture.pcap'] : ['capture.pcap', 'keys.log', 'keys.log']);
      const packets = Buffer.concat([...life.runFiles.readFileParts(run.id, 'capture.pcap')]);
      const reported = detail.results.find(({ role }) => role === 'broker');
      expect(packets).toHaveLength(reported?.capture?.fileBytes ?? 0);
      if (isPlain) continue;
      const keys = Buffer.concat([...life.runFiles.readFileParts(run.id, 'keys.log')]).toString();
      expect(keys).toMatch(/^CLIENT_TRAFFIC_SECRET_0 [0-9a-f]{64} [0-9a-f]+$/m);
      const stored = life.database.all(`SELECT bytes FROM run_files WHERE name = 'keys.log'`);
      expect(
        JSON.stringify(stored.map((row) => Buffer.from((row as { bytes: Uint8Array }).bytes).toString())),
      ).not.toContain('TRAFFIC_SECRET');
      await expectReadable(packets, keys, Number(reported?.environment['broker.port']));
    }
  });
});

/** With an independent reader: tshark finds MQTT inside TLS with these keys, and not without them. */
async function expectReadable(packets: Buffer, keys: string, port: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-captured-'));
  try {
    const [file, keyFile] = [join(folder, 'run.pcap'), join(folder, 'keys.log')];
    writeFileSync(file, packets);
    writeFileSync(keyFile, keys);
    const publishes = async (...more: readonly string[]) => {
      const decode = ['-d', `tcp.port==${port},tls`, '-d', `tls.port==${port},mqtt`];
      const args = [
        '-r',
        file,
        '-n',
        ...decode,
        ...more,
        '-Y',
        'mqtt.msgtype == 3',
        '-T',
        'fields',
        '-e',
        'mqtt.topic',
      ];
      return (await promisify(execFile)('tshark', args)).stdout.trim();
    };
    expect(await publishes('-o', `tls.keylog_file:${keyFile}`)).toContain('mqttlab');
    expect(await publishes()).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
