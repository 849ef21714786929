import { ApiError } from '@mqttlab/shared/messages/api-client';
import { makeDraft } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { isSameDraft } from './draft-store.ts';
import { changedFields, parsePlanFile } from './use-draft.ts';

describe('two drafts', () => {
  it('differ in these fields, in words', () => {
    const a = makeDraft();
    const b = makeDraft({ seed: 1, sampleHz: 1, factors: { ...a.factors, qos: [2], group: ['P-256'] } });
    expect(changedFields(a, b)).toEqual(['sample rate', 'seed', 'qos', 'key exchange']);
    expect(changedFields(a, a)).toEqual([]);
  });

  it('are the same in whatever order their fields stand', () => {
    const a = makeDraft();
    const reordered = Object.fromEntries(Object.entries(a).reverse()) as typeof a;
    expect(isSameDraft(a, reordered)).toBe(true);
    expect(isSameDraft(a, { ...a, factors: { ...a.factors, qos: [1, 0] } })).toBe(false);
  });
});

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
