import { fc } from '@mqttlab/shared/testing/properties';
import { expect, it } from 'vitest';
import { stringifyInSlices } from './encoded-json.ts';

it('writes what JSON.stringify writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.object({ maxDepth: 5 }), async (value) => {
      expect(await stringifyInSlices(value)).toBe(JSON.stringify(value));
    }),
  );
  const list = Array.from({ length: 400 }, (_, id) => ({ id, text: 'x'.repeat(1000), none: undefined }));
  const long = { runs: list, content: { experiment: { runs: list, gap: undefined } }, at: new Date(5) };
  expect(await stringifyInSlices(long)).toBe(JSON.stringify(long));
  expect(await stringifyInSlices(list)).toBe(JSON.stringify(list));
  expect(await stringifyInSlices(null)).toBe('null');
  expect(await stringifyInSlices([])).toBe('[]');
});

it('yields to other work in between', async () => {
  const list = Array.from({ length: 4000 }, () => 'x'.repeat(1000));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await stringifyInSlices({ runs: list });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
