import { describe, expect, it } from 'vitest';
import { measureScenario } from './measure-coverage.ts';
import { makeScenarios } from './scenarios.ts';

describe('intervals and claims, drawn and judged by the functions of the product', () => {
  // With few draws, only faults of some percent show; `npm run coverage` draws 20,000.
  it.each(makeScenarios(20_261_122))('$name', (scenario) => {
    const { kind, percent, isMet } = measureScenario(scenario, 300);
    expect(isMet, `${kind} ${percent} %`).toBe(true);
  });
});
