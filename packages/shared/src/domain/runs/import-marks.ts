import * as z from 'zod';
import { count, sentence, word } from '../bounds.ts';

/** Values in a bundle that its evidence does not support, detected during the import. */
export const alteredSchema = z.strictObject({
  values: count,
  runs: count,
  /** The first few values. */
  examples: z.array(sentence).max(20),
});

/** Measurements of another tool. */
export const foreignSchema = z.strictObject({
  /** Name of the tool, for example "emqtt-bench". */
  tool: word.min(1),
  /** Names of the files with the values. */
  source: sentence,
});

export type Altered = z.infer<typeof alteredSchema>;
export type Foreign = z.infer<typeof foreignSchema>;

/**
 * Reasons why imported results are less reliable than this server's results. If both are absent, the evidence
 * supports them.
 */
export const importMarkShape = { altered: alteredSchema.optional(), foreign: foreignSchema.optional() };

/** Marks for imported results, shown wherever the results are shown. */
export interface ImportMarks {
  altered?: Altered | undefined;
  foreign?: Foreign | undefined;
}

/** Returns only the marks, for results derived from an experiment. Pure. */
export function marksOf(imported: ImportMarks | null | undefined): { altered?: Altered; foreign?: Foreign } {
  return {
    ...(imported?.altered ? { altered: imported.altered } : {}),
    ...(imported?.foreign ? { foreign: imported.foreign } : {}),
  };
}

/** Returns the name and notice of each mark. Pure. */
export function noticesOf(marks: ImportMarks | null | undefined): { name: string; sentence: string }[] {
  return [
    ...(marks?.altered ? [{ name: 'Altered', sentence: alteredWords(marks.altered) }] : []),
    ...(marks?.foreign ? [{ name: 'Foreign', sentence: foreignWords(marks.foreign) }] : []),
  ];
}

/** Returns the notice shown with an altered experiment or its runs. Pure. */
export function alteredWords({ values, runs, examples: [first] }: Altered): string {
  const what = `${values} ${values === 1 ? 'value' : 'values'} in ${runs} ${runs === 1 ? 'run' : 'runs'}`;
  return `Altered: ${what} differ from the evidence in its bundle${first ? `, for example ${first}` : ''}.`;
}

/** Returns the notice shown with measurements from another tool. Pure. */
export function foreignWords({ tool }: Foreign): string {
  return `Foreign: measured with ${tool}, not with mqttlab. mqttlab has no evidence for these runs, so no verdict checked them.`;
}
