import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { makeAnswerService } from '../results/answer-service.ts';
import { refreshHeadline } from '../results/finish-run.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { bundleFiles } from './bundle-format.ts';
import { makeBundleService } from './bundle-service.ts';
import { environmentCells } from './experiment-tables.ts';
import { openZip } from './read-zip.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-bundle-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;
const incoming = (bytes: Buffer, signal = never) => ({
  packed: Readable.from([bytes]),
  key: 'one',
  totalBytes: bytes.length,
  signal,
});

function makeInstallation(name: string) {
  const stores = makeTestStores(() => 5000);
  const software = 'mqttlab test';
  const answers = makeAnswerService({ database: stores.database, stores, software });
  const bundles = makeBundleService({
    stores,
    software,
    nowMs: () => 7000,
    folder: join(folder, name),
    testbedFor: () => 'bench',
  });
  const reportOf = async (experimentId: number) =>
    (
      await answers.getAnswer(
        'report',
        { experimentId, takesFlagged: false },
        { experimentIds: [experimentId], signal: never },
      )
    ).parse<Report>();
  return { stores, reportOf, bundles };
}

async function exportOne() {
  const here = makeInstallation('here');
  const { id, runs } = playExperiment(here.stores, { repetitions: 3 }, (treatment, block) =>
    treatment === 1 && block === 2
      ? null
      : {
          latencyMs: 1 + treatment + block / 30,
          lost: 0,
          environment: { 'cpu.model': `Cortex-A7${treatment}` },
        },
  );
  here.stores.runs.updateRun(runs[0]!.id, {
    notes: 'odd noise',
    tags: ['odd'],
    exclusion: { reason: 'door', at: 3 },
  });
  refreshHeadline(here.stores, id);
  const packed = await buffer(await here.bundles.exportBundle(id, never));
  return { ...here, id, packed };
}

function exportOnce(): () => Promise<Buffer> {
  let made: Promise<Buffer> | null = null;
  return () => {
    made ??= exportOne().then(({ packed }) => packed);
    return made;
  };
}

/** The same files with some changed, omitted or added. */
async function repack(packed: Buffer, change: Readonly<Record<string, string | null>>): Promise<Buffer> {
  const zip = await openZip(packed, packed.length);
  const next = new ZipFile();
  for (const path of new Set([...zip.paths(), ...Object.keys(change)])) {
    const content = path in change ? change[path] : await zip.read(path);
    if (content !== null && content !== undefined) next.addBuffer(Buffer.from(content), path);
  }
  zip.close();
  next.end();
  return buffer(next.outputStream as Readable);
}

/** Without the names of runs and installations: only the numbers. */
function numbersOf({ responses, bootstraps, latency, pareto, series }: Report) {
  const text = JSON.stringify({ responses, bootstraps, latency, pareto, series });
  return text.replace(/"runId":\d+/g, '"runId":0');
}

describe('research bundles', () => {
  it('shows the same report in an empty installation, marked as imported, with unchanged runs', async () => {
    const here = await exportOne();
    const there = makeInstallation('there');
    playExperiment(there.stores);
    const id = await there.bundles.receiveBundle(incoming(here.packed));
    const [before, after] = await Promise.all([here.reportOf(here.id), there.reportOf(id)]);
    expect(numbersOf(after)).toBe(numbersOf(before));
    expect(before.experiment.imported).toBeNull();
    expect(after.experiment.imported?.from).toMatch(/^experiment 1 of mqttlab test, signed by SHA256:/);
    expect(after.validity).toEqual({
      ...before.validity,
      leftOut: before.validity.leftOut.map((run) => ({ ...run, runId: expect.any(Number) })),
    });
    const detail = there.stores.experiments.findExperimentDetail(id);
    expect(detail).toMatchObject({ status: 'done', imported: { at: 7000 }, draft: { testbedId: 'bench' } });
    const imported = there.stores.runs.listRuns(id);
    expect(imported[0]).toMatchObject({ notes: 'odd noise', tags: ['odd'], exclusion: { reason: 'door' } });
    expect(detail?.headline).toEqual(here.stores.experiments.findExperimentSummary(here.id)?.headline);
    const [oldRun, newRun] = [here.stores.runs.listRuns(here.id)[1]!, imported[1]!];
    expect(oldRun.bases).toMatchObject({ latency: expect.any(String) });
    expect(newRun.bases).toEqual(oldRun.bases);
    expect(there.stores.runs.readStoredResults(newRun.id)).toEqual(
      here.stores.runs.readStoredResults(oldRun.id),
    );
    expect(environmentCells(there.stores, newRun.id)).toEqual(environmentCells(here.stores, oldRun.id));
    expect(environmentCells(there.stores, newRun.id)).toMatchObject({
      cpu_model: expect.stringMatching(/^Cortex-A7\d$/),
    });
  });

  it('contains plan, tables, report and checksums as an RO-Crate', async () => {
    const { packed, stores, id } = await exportOne();
    const zip = await openZip(packed, packed.length);
    const crate = JSON.parse((await zip.read(bundleFiles.metadata)).toString());
    const entities = new Map<string, Record<string, unknown>>(
      crate['@graph'].map((entity: { '@id': string }) => [entity['@id'], entity]),
    );
    const parts = (entities.get('./') as { hasPart: { '@id': string }[] }).hasPart.map((part) => part['@id']);
    expect(new Set([...parts, bundleFiles.metadata])).toEqual(new Set(zip.paths()));
    for (const path of parts) expect(entities.get(path)?.sha256).toBe(await zip.sha256(path));

    const software = { name: 'mqttlab', version: 'test', url: 'pkg:generic/mqttlab@test' };
    expect(entities.get('#mqttlab')).toMatchObject(software);

    const bytes = await zip.read('data/values.parquet');
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    const expected = stores.runs
      .listRuns(id)
      .flatMap((run) =>
        Object.entries(run.metrics).flatMap(([metric, value]) =>
          value === null ? [] : [[run.id, metric, value]],
        ),
      );
    const got = rows.map(({ run, metric, value }) => [run, metric, value]);
    expect(new Map(got.map(([run, metric, value]) => [`${run} ${metric}`, value]))).toEqual(
      new Map(expected.map(([run, metric, value]) => [`${run} ${metric}`, value])),
    );
    const samples = await parquetReadObjects({
      file: new Uint8Array(await zip.read('data/samples.parquet')).buffer,
    });
    expect(samples.length).toBeGreaterThan(100);
    expect(samples.some(({ value }) => value === null)).toBe(true);
    expect((await zip.read('report/figures/figure-01.svg')).toString()).toMatch(/^<svg .*width="170mm"/);
    zip.close();
  });

  it('is the same file each time', async () => {
    const { bundles, id, packed } = await exportOne();
    expect((await buffer(await bundles.exportBundle(id, never))).equals(packed)).toBe(true);
  });
});

describe('bundles that are refused', () => {
  /** Created once; tests modify copies. */
  let packed: Buffer;
  const once = exportOnce();

  beforeEach(async () => {
    packed = await once();
  });

  const refusal = async (bytes: Buffer): Promise<string> => {
    const there = makeInstallation('there');
    const message = await there.bundles.receiveBundle(incoming(bytes)).then(
      () => 'taken',
      (error: Error) => error.message,
    );
    expect(there.stores.experiments.listExperiments({ status: 'all', offset: 0, limit: 10 }).total).toBe(0);
    return message;
  };

  it('truncated, or not a zip', async () => {
    expect(await refusal(packed.subarray(0, packed.length - 400))).toMatch(
      /not a zip file, or it is truncated/,
    );
    expect(await refusal(Buffer.from('hello'))).toMatch(/not a zip file/);
    expect(await refusal(Buffer.alloc(0))).toMatch(/not a zip file/);
  });

  it('altered: a file, the list of checksums, an extra or a missing file', async () => {
    const changed = await repack(packed, { 'plan.json': '{}' });
    expect(await refusal(changed)).toMatch(/"plan.json" does not have the checksum/);
    const list = await repack(packed, { [bundleFiles.manifest]: `${'0'.repeat(64)}  plan.json\n` });
    expect(await refusal(list)).toMatch(/signature does not match/);
    expect(await refusal(await repack(packed, { 'runs/more.json': '{}' }))).toMatch(/not in its list/);
    expect(await refusal(await repack(packed, { 'runs/run-2.json': null }))).toMatch(
      /"runs\/run-2.json" is missing/,
    );
    expect(await refusal(await repack(packed, { 'plan.json': null }))).toMatch(/not an mqttlab bundle/);
    const flipped = Buffer.from(packed);
    flipped[Math.floor(packed.length / 2)]! ^= 0xff;
    expect(await refusal(flipped)).not.toBe('taken');
  });

  it('from a newer version', async () => {
    const newer = await repack(packed, { [bundleFiles.experiment]: '{"bundleVersion": 9}' });
    expect(await refusal(newer)).toMatch(
      /has version 9, but this version of mqttlab only supports versions up to 2/,
    );
  });

  it('zip bombs: high compression ratios and false sizes', async () => {
    const bomb = new ZipFile();
    bomb.addBuffer(Buffer.alloc(64 * 1024 * 1024), 'plan.json');
    bomb.end();
    expect(await refusal(await buffer(bomb.outputStream as Readable))).toMatch(
      /more than any experiment needs/,
    );
    const liar = lieAboutSize(await repack(packed, { 'plan.json': 'x'.repeat(5000) }));
    expect(await refusal(liar)).toMatch(/cannot be unpacked|damaged|cut off/);
  });
});

/** Declares ten bytes for plan.json in the table of contents. */
function lieAboutSize(packed: Buffer): Buffer {
  const lying = Buffer.from(packed);
  const compressed = deflateRawSync(Buffer.from('x'.repeat(5000)));
  for (let at = lying.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0; ) {
    const nameLength = lying.readUInt16LE(at + 28);
    if (lying.toString('utf8', at + 46, at + 46 + nameLength) === 'plan.json') {
      expect(lying.readUInt32LE(at + 20)).toBe(compressed.length);
      lying.writeUInt32LE(10, at + 24);
    }
    at = lying.indexOf('PK\x01\x02', at + 4, 'latin1');
  }
  return lying;
}
