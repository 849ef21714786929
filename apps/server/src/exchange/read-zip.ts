import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Issue } from '@mqttlab/shared/domain/issue';
import { type Entry, fromBuffer, open, type ZipFile } from 'yauzl';
import { unprocessable } from '../base/errors.ts';

/**
 * Limits far above the needs of an experiment with 10,000 runs, and far below the size of a disk or memory.
 */
const zipLimits = {
  entries: 30_000,
  entryBytes: 256 * 1024 * 1024,
  totalBytes: 4 * 1024 * 1024 * 1024,
  /** Limit for entries that are read completely, not only checked against their checksum. */
  wholeBytes: 128 * 1024 * 1024,
  /** Maximum compression ratio of the whole file: series and text stay below 60. */
  ratio: 150,
} as const;

export interface OpenZip {
  paths(): string[];
  /** Reads a complete entry if it has its declared size. Rejects with a 422 problem. */
  read(path: string): Promise<Buffer>;
  sha256(path: string): Promise<string>;
  close(): void;
}

const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true } as const;

/** Opens a zip and checks that its entries can be unpacked safely. Rejects with a 422 problem. */
export async function openZip(source: string | Buffer, packedBytes: number): Promise<OpenZip> {
  const zip = await openSource(source);
  const entries = new Map<string, Entry>();
  try {
    await eachEntry(zip, (entry) => {
      if (entries.size >= zipLimits.entries) throw refuse(`it has more than ${zipLimits.entries} files`);
      if (entries.has(entry.fileName)) throw refuse(`"${entry.fileName}" appears twice`);
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    });
    checkSizes([...entries.values()], packedBytes);
  } catch (error) {
    zip.close();
    throw error;
  }
  const chunksOf = async function* (path: string): AsyncGenerator<Buffer> {
    const entry = entries.get(path);
    if (!entry) throw refuse(`"${path}" is missing`);
    try {
      const stream = await promisify(zip.openReadStream.bind(zip) as OpenStream)(entry);
      for await (const chunk of stream) yield chunk as Buffer;
    } catch (error) {
      throw refuse(`"${path}" cannot be unpacked (${messageOf(error)})`);
    }
  };
  return {
    paths: () => [...entries.keys()],
    async read(path) {
      const bytes = entries.get(path)?.uncompressedSize ?? 0;
      if (bytes > zipLimits.wholeBytes) throw refuse(`"${path}" would unpack to ${megabytes(bytes)}`);
      const chunks: Buffer[] = [];
      for await (const chunk of chunksOf(path)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    async sha256(path) {
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(path)) hash.update(chunk);
      return hash.digest('hex');
    },
    close: () => zip.close(),
  };
}

type OpenStream = (entry: Entry, done: (error: Error | null, stream: NodeJS.ReadableStream) => void) => void;

function openSource(source: string | Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, zip?: ZipFile): void => {
      if (zip) resolve(zip);
      else reject(refuse(`it is not a zip file, or it is truncated (${messageOf(error)})`));
    };
    if (typeof source === 'string') open(source, options, done);
    else fromBuffer(source, options, done);
  });
}

function eachEntry(zip: ZipFile, take: (entry: Entry) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      try {
        take(entry);
        zip.readEntry();
      } catch (error) {
        reject(error);
      }
    });
    zip.once('end', resolve);
    zip.once('error', (error) => reject(refuse(`its table of contents is damaged (${messageOf(error)})`)));
    zip.readEntry();
  });
}

function checkSizes(entries: readonly Entry[], packedBytes: number): void {
  const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  const large = entries.find(({ uncompressedSize }) => uncompressedSize > zipLimits.entryBytes);
  if (large) throw refuse(`"${large.fileName}" would unpack to ${megabytes(large.uncompressedSize)}`);
  if (total > zipLimits.totalBytes) throw refuse(`it would unpack to ${megabytes(total)}`);
  if (total > packedBytes * zipLimits.ratio) {
    throw refuse(
      `${megabytes(packedBytes)} would unpack to ${megabytes(total)}, more than any experiment needs`,
    );
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const exportAgain = 'Export the bundle again on the original server, and copy it unchanged.';

export function refuse(reason: string, remedy = exportAgain) {
  return unprocessable('The bundle cannot be imported.', [{ field: 'bundle', reason, remedy }]);
}

/** Creates a problem that names one value in a file of the bundle: "plan.json: trials[0].block". */
export function refuseValue(path: string, { field, reason }: Pick<Issue, 'field' | 'reason'>) {
  const where = `${path}: ${field || 'the whole file'}`;
  return unprocessable('The bundle cannot be imported.', [{ field: where, reason, remedy: exportAgain }]);
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
