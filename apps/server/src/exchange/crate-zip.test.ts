import { finished } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { CrateZip } from './write-bundle.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A zip whose reader discards everything. */
function openZip(): CrateZip {
  const zip = new CrateZip(new Date(0), new AbortController().signal);
  zip.output.resume();
  return zip;
}

it.each([true, false])(
  'retains no content of files that the reader has received (compressed: %s)',
  async (compress) => {
    const zip = openZip();
    const contents: WeakRef<object>[] = [];
    for (let i = 0; i < 20; i += 1) {
      const content = [Buffer.alloc(1000, i)];
      contents.push(new WeakRef(content), new WeakRef(content[0]!));
      await zip.add(`file-${i}`, content, ['A file', 'text/plain'], { compress });
    }
    const left = async () => {
      await turn();
      collectGarbage();
      return contents.filter((content) => content.deref() !== undefined).length;
    };
    // The last file may still be in transit.
    await expect.poll(left).toBeLessThanOrEqual(2);
    zip.end();
    await finished(zip.output);
  },
);

it('retains no buffers of files that the reader has received', async () => {
  const zip = openZip();
  const [files, text] = [100, 'some text of a run '.repeat(1000)];
  const add = (name: string) => zip.add(name, [text], ['A file', 'text/plain']);
  await add('first');
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < files; i += 1) await add(`file-${i}`);
  // Buffers are freed some time after they are collected.
  const kept = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before;
  };
  await expect.poll(kept).toBeLessThan((files * text.length) / 4);
  zip.end();
  await finished(zip.output);
});
