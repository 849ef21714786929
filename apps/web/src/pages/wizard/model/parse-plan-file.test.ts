import { makeDraft } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ApiError } from '../../../api/client.ts';
import { parsePlanFile } from './parse-plan-file.ts';

describe('parsePlanFile', () => {
  it('reads what was exported, YAML and JSON', async () => {
    const draft = makeDraft();
    await expect(parsePlanFile(stringify(draft))).resolves.toEqual(draft);
    await expect(parsePlanFile(JSON.stringify(draft))).resolves.toEqual(draft);
  });

  it.each([
    ['a: [1', 'neither YAML nor JSON'],
    ['just words', 'form of a plan'],
    ['', 'form of a plan'],
    ['a: &a [1]\nb: [*a, *a]', 'neither YAML nor JSON'],
  ])('refuses %j', async (text, detail) => {
    await expect(parsePlanFile(text)).rejects.toThrow(detail);
  });

  it('names every field that is wrong', async () => {
    const text = stringify({ ...makeDraft(), repetitions: 'many', extra: 1 });
    const error = await parsePlanFile(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).problem.issues.map((issue) => issue.field)).toContain('repetitions');
  });
});
