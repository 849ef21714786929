import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import {
  chiSquareSf,
  normalCdf,
  normalQuantile,
  normalTwoSidedP,
  tTwoSidedP,
  tTwoSidedQuantile,
} from './normal.ts';
import { betaTails, erfc, gammaTails, logGamma } from './special.ts';

// Reference values: mpmath with 30 to 400 digits, rounded to double.
const BETA = [
  [0.5, 0.5, 0.25, 0.3333333333333333, 0.6666666666666666],
  [2, 3, 0.4, 0.5248, 0.47519999999999996],
  [0.5, 2.5, 0.001, 0.05365765469181354, 0.9463423453081865],
  [50, 0.5, 0.99, 0.3173043978741974, 0.6826956021258026],
  [546.1, 0.5, 0.5, 1.3814269611279083e-166, 1.0],
  [300, 300.5, 0.52, 0.8414920922049636, 0.15850790779503646],
  [1.25, 7.75, 0.9, 0.999999967385475, 3.26145249786408e-8],
  [1500, 0.5, 0.998, 0.014265335317197862, 0.9857346646828021],
  [10, 1000, 0.005, 0.03311773985636599, 0.966882260143634],
  [10000.0, 10000.0, 0.501, 0.6113500478574625, 0.38864995214253756],
];
const GAMMA = [
  [0.5, 0.1, 0.345279153981423, 0.654720846018577],
  [0.5, 3, 0.9856941215645704, 0.01430587843542964],
  [1, 1, 0.6321205588285577, 0.36787944117144233],
  [5, 5, 0.5595067149347875, 0.4404932850652124],
  [5, 20, 0.9999830552560699, 1.6944743930067385e-5],
  [10, 2, 4.6498075017263805e-5, 0.9999535019249828],
  [100, 100, 0.5132987982791487, 0.48670120172085135],
  [100, 130, 0.9972495916326934, 0.002750408367306526],
  [512, 480, 0.0763600608665701, 0.9236399391334299],
  [2048, 2100, 0.8742710309703373, 0.12572896902966268],
  [0.25, 1e-5, 0.062040894055986166, 0.9379591059440139],
  [3, 700, 1.0, 2.4225323864783197e-299],
];
const ERFC = [
  [-3, 1.9999779095030015],
  [-0.5, 1.5204998778130465],
  [0, 1.0],
  [1e-10, 0.999999999887162],
  [0.1, 0.887537083981715],
  [0.7, 0.32219880616258156],
  [1, 0.15729920705028513],
  [1.3, 0.06599205505934755],
  [2, 0.004677734981047266],
  [5, 1.537459794428035e-12],
  [10, 2.088487583762545e-45],
  [25, 8.300172571196523e-274],
];
const T_TAIL = [
  [1e-8, 3, 0.999999992648948],
  [0.5, 1, 0.7048327646991335],
  [1, 2, 0.4226497308103742],
  [2.5, 4, 0.06676654481198814],
  [3.7, 4.37, 0.017810873572356736],
  [12.7, 1, 0.05002432768934416],
  [50, 8, 2.8344106450917863e-11],
  [2, 1091.69, 0.04574765271712375],
  [30, 1198, 6.026584839846853e-148],
  [100, 5, 1.8960014224623626e-9],
  [1.96, 100000.0, 0.04999856319430164],
];
const T_QUANTILE = [
  [0.05, 1, 12.706204736174705],
  [0.05, 2, 4.302652729749464],
  [0.05, 3, 3.1824463052837095],
  [0.05, 4, 2.7764451051977943],
  [0.01, 4, 4.604094871349993],
  [0.1, 4, 2.1318467863266504],
  [0.05, 9, 2.2621571627982053],
  [0.002380952380952381, 4.37, 6.31058416495018],
  [1e-6, 8, 13.257135102228194],
  [0.05, 1000.5, 1.9623378924593484],
  [0.9, 5, 0.13217517523168723],
  [1e-12, 30, 11.722008426303951],
  [0.999, 1.5, 0.0014674169854237869],
];
const NORMAL_QUANTILE = [
  [1e-300, -37.0470962993612],
  [1e-20, -9.262340089798407],
  [1e-6, -4.753424308822899],
  [0.025, -1.9599639845400543],
  [0.3, -0.5244005127080408],
  [0.6, 0.2533471031357997],
  [0.975, 1.9599639845400538],
  [0.999999, 4.753424308817087],
];
const LOG_GAMMA = [
  [1e-5, 11.512919692895826],
  [0.25, 1.2880225246980774],
  [0.5, 0.5723649429247001],
  [1.5, -0.12078223763524522],
  [2.5, 0.2846828704729192],
  [5, 3.1780538303479458],
  [14.9, 24.924132002217277],
  [15, 25.19122118273868],
  [100.5, 361.4355404677776],
  [1000000.0, 12815504.569147611],
];

function relativeError(got: number, expected: number): number {
  return expected === 0 ? Math.abs(got) : Math.abs(got / expected - 1);
}

describe('special functions', () => {
  it.each(BETA)('incomplete beta a=%d b=%d x=%d', (...[a, b, x, lower, upper]) => {
    const tails = betaTails({ a: a!, b: b!, x: x! });
    expect(relativeError(tails.lower, lower!)).toBeLessThan(2e-13);
    expect(relativeError(tails.upper, upper!)).toBeLessThan(2e-13);
  });
  it.each(GAMMA)('incomplete gamma a=%d x=%d', (...[a, x, lower, upper]) => {
    const tails = gammaTails(a!, x!);
    expect(relativeError(tails.lower, lower!)).toBeLessThan(1e-13);
    expect(relativeError(tails.upper, upper!)).toBeLessThan(1e-13);
    expect(chiSquareSf(2 * x!, 2 * a!)).toBe(tails.upper);
  });
  it.each(ERFC)('erfc(%d)', (x, expected) => {
    expect(relativeError(erfc(x!), expected!)).toBeLessThan(1e-13);
    expect(relativeError(normalCdf(-x! * Math.SQRT2), expected! / 2)).toBeLessThan(2e-13);
  });
  it.each(T_TAIL)('two-sided t tail t=%d df=%d', (t, df, expected) => {
    expect(relativeError(tTwoSidedP(t!, df!), expected!)).toBeLessThan(df! > 1e4 ? 1e-11 : 1e-13);
  });
  it.each(T_QUANTILE)('t quantile p=%d df=%d', (p, df, expected) => {
    expect(relativeError(tTwoSidedQuantile(p!, df!), expected!)).toBeLessThan(1e-13);
  });
  it.each(NORMAL_QUANTILE)('normal quantile p=%d', (p, expected) => {
    expect(relativeError(normalQuantile(p!), expected!)).toBeLessThan(1e-14);
  });
  it.each(LOG_GAMMA)('ln Gamma(%d)', (x, expected) => {
    expect(relativeError(logGamma(x!), expected!)).toBeLessThan(1e-14);
  });

  it('inverts itself and is symmetric', () => {
    const level = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true });
    const freedom = fc.double({ min: 0.5, max: 2000, noNaN: true });
    fc.assert(
      fc.property(level, freedom, (p, df) => {
        const t = tTwoSidedQuantile(p, df);
        expect(Math.abs(tTwoSidedP(t, df) - p)).toBeLessThan(1e-12);
        expect(tTwoSidedP(-t, df)).toBe(tTwoSidedP(t, df));
        expect(Math.abs(normalCdf(normalQuantile(p)) - p)).toBeLessThan(1e-14);
      }),
    );
  });

  it('gives NaN out of domain and exact limits', () => {
    const bad = [
      logGamma(-1),
      gammaTails(0, 1).lower,
      gammaTails(1, -1).upper,
      gammaTails(1, Number.NaN).upper,
      betaTails({ a: 1, b: 1, x: 1.1 }).lower,
      betaTails({ a: -1, b: 1, x: 0.5 }).lower,
      tTwoSidedP(1, 0),
      tTwoSidedP(Infinity, -1),
      tTwoSidedP(Number.NaN, 3),
      tTwoSidedQuantile(0, 3),
      tTwoSidedQuantile(0.05, 0),
      tTwoSidedQuantile(2, 3),
      normalQuantile(-0.1),
      normalTwoSidedP(Number.NaN),
    ];
    for (const value of bad) expect(value).toBeNaN();
    expect(tTwoSidedP(Infinity, 3)).toBe(0);
    expect(tTwoSidedQuantile(1, 3)).toBe(0);
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
    expect(gammaTails(2, Infinity)).toEqual({ lower: 1, upper: 0 });
    expect(gammaTails(2, 0)).toEqual({ lower: 0, upper: 1 });
    expect(normalTwoSidedP(0)).toBe(1);
  });
});
