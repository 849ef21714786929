import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReportDesk } from '../analysis/report/report-desk.ts';
import { ProblemError } from '../errors.ts';
import { type BundleKey, openBundleKey } from './bundle-key.ts';
import { type ImportTarget, importBundle } from './import-bundle.ts';
import { readBundle } from './read-bundle.ts';
import { openZip } from './read-zip.ts';
import { writeBundle } from './write-bundle.ts';

/** Largest file that is taken; 10,000 runs of a minute each pack to about half of it. */
const mostPackedBytes = 1024 * 1024 * 1024;

export interface BundleDesk {
  /** Rejects with a problem, or with the reason of `signal`. */
  write(experimentId: number, signal: AbortSignal): Promise<Readable>;
  /** Number of the new experiment. Rejects with a problem. */
  take(packed: Readable): Promise<number>;
}

export interface BundleDeskOptions extends ImportTarget {
  reports: ReportDesk;
  keyPath: string;
  software: string;
}

/** Exports experiments as research bundles and takes them in. */
export function makeBundleDesk(options: BundleDeskOptions): BundleDesk {
  const { stores, reports, keyPath, software } = options;
  let key: BundleKey | null = null;
  return {
    async write(experimentId, signal) {
      const report = await reports.get({ experimentId, takesFlagged: false }, signal);
      key ??= openBundleKey(keyPath);
      return writeBundle(stores, { experimentId, report, key, software, signal });
    },
    async take(packed) {
      const folder = await mkdtemp(join(tmpdir(), 'mqttlab-import-'));
      try {
        const path = join(folder, 'bundle.zip');
        await pipeline(packed, limitBytes(mostPackedBytes), createWriteStream(path));
        const zip = await openZip(path, (await stat(path)).size);
        try {
          return await importBundle(await readBundle(zip), options);
        } finally {
          zip.close();
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function limitBytes(most: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen <= most) done(null, chunk);
      else {
        const detail = `The bundle is larger than ${most / 1024 ** 2} MiB.`;
        done(new ProblemError({ status: 413, detail, remedy: 'Import the experiments one by one.' }));
      }
    },
  });
}
