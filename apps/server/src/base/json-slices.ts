import { setImmediate as breathe } from 'node:timers/promises';

/** Lists shorter than this are written at once. */
const longList = 50;
/** Characters between two pauses. */
const sliceCharacters = 200_000;

/** As JSON.stringify(value), with room for others in between where the value or what it holds is a long list. */
export async function stringifyInSlices(value: unknown): Promise<string> {
  const parts: string[] = [];
  let written = 0;
  const push = async (text: string): Promise<void> => {
    parts.push(text);
    written += text.length;
    if (written < sliceCharacters) return;
    written = 0;
    await breathe();
  };
  const write = async (part: unknown, depth: number): Promise<void> => {
    if (Array.isArray(part) && part.length >= longList) {
      for (const [index, entry] of part.entries()) {
        await push(`${index === 0 ? '[' : ','}${JSON.stringify(entry) ?? 'null'}`);
      }
      await push(']');
    } else if (depth > 0 && isPlain(part)) {
      let isFirst = true;
      await push('{');
      for (const [name, entry] of Object.entries(part)) {
        if (entry === undefined) continue;
        await push(`${isFirst ? '' : ','}${JSON.stringify(name)}:`);
        isFirst = false;
        await write(entry, depth - 1);
      }
      await push('}');
    } else await push(JSON.stringify(part) ?? 'null');
  };
  // Lists are not found deeper than this: an experiment's runs, the runs of a shared experiment.
  await write(value, 3);
  return parts.join('');
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
