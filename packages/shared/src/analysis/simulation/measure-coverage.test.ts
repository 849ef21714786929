import { describe, expect, it } from 'vitest';
import { measureCoverage } from './measure-coverage.ts';

describe('intervals and claims, drawn and judged by the functions of the product', () => {
  // Few draws: a fault of some percent shows, and `npm run coverage` tells the rest.
  it.each(measureCoverage({ draws: 300, seed: 20_261_122 }))('$name', ({ kind, percent, isMet }) => {
    expect(isMet, `${kind} ${percent} %`).toBe(true);
  });
});
