import {
  type HistogramBin,
  type HistogramJson,
  type HistogramLayout,
  type HistogramRange,
  highestValueAt,
  histogramIndexOf,
  lowestValueAt,
  makeBinEdges,
  makeHistogramLayout,
  parseHistogramJson,
  tallyBins,
} from './histogram-layout.ts';

export interface PercentilePoint {
  percentile: number;
  valueUs: number;
}

// Slots for the running totals; a typed array avoids boxed numbers in `record`.
const COUNT = 0;
const SUM = 1;
const SUM_SQUARES = 2;
const MIN = 3;
const MAX = 4;

/**
 * Log-linear latency histogram in microseconds, bit-compatible with HdrHistogram(1, 60e6, 3). Values are rounded to
 * whole microseconds for their counter (to that fraction with `lowest` 0.1, 0.01 or 0.001); count, min, max, mean and
 * sd use the values as given, also those that `overflow` or `underflow` clamped.
 */
export class LatencyHistogram {
  readonly layout: HistogramLayout;
  private readonly range: HistogramRange;
  private readonly counts: Float64Array;
  private readonly totals = new Float64Array([0, 0, 0, Infinity, -Infinity]);
  private overflowCount = 0;
  private underflowCount = 0;
  // Copies of layout fields, which save a load each in the hot path.
  private readonly highest: number;
  private readonly scale: number;
  private readonly mask: number;
  private readonly base: number;
  private readonly half: number;
  private readonly unit: number;

  constructor(range: Partial<HistogramRange> = {}) {
    this.range = { lowest: 1, highest: 60_000_000, significantDigits: 3, ...range };
    this.scale = stepsPerUs(this.range.lowest);
    this.layout = makeHistogramLayout(inSteps(this.range, this.scale));
    this.counts = new Float64Array(this.layout.length);
    this.highest = this.range.highest;
    this.mask = this.layout.subBucketMask;
    this.base = this.layout.bucketBase;
    this.half = this.layout.halfMagnitude;
    this.unit = this.layout.unitMagnitude;
  }

  /** Adds one latency in µs. Allocates nothing. Throws RangeError on NaN and Infinity. */
  record(valueUs: number): void {
    const value =
      valueUs >= 0 && valueUs <= this.highest ? (valueUs * this.scale + 0.5) | 0 : this.clamp(valueUs);
    const octave = this.base - Math.clz32(value | this.mask);
    this.counts[(octave << this.half) + (value >>> (octave + this.unit))]! += 1;
    const totals = this.totals;
    totals[COUNT]! += 1;
    totals[SUM]! += valueUs;
    totals[SUM_SQUARES]! += valueUs * valueUs;
    if (valueUs < totals[MIN]!) totals[MIN] = valueUs;
    if (valueUs > totals[MAX]!) totals[MAX] = valueUs;
  }

  /**
   * Adds one latency and the latencies that a closed-loop sender failed to send in the meantime: value -
   * interval, value - 2 intervals, ... while >= interval (HdrHistogram `recordValueWithExpectedInterval`).
   * Never use it for latencies that already count from the intended send time.
   */
  recordCorrected(valueUs: number, intervalUs: number): void {
    this.record(valueUs);
    if (!(intervalUs > 0)) return;
    for (let missing = valueUs - intervalUs; missing >= intervalUs; missing -= intervalUs) {
      this.record(missing);
    }
  }

  get count(): number {
    return this.totals[COUNT]!;
  }

  /** Number of values above the highest trackable value; they are counted in the last bucket. */
  get overflow(): number {
    return this.overflowCount;
  }

  /** Number of negative values (a clock error); they are counted in the bucket for 0. */
  get underflow(): number {
    return this.underflowCount;
  }

  get minUs(): number | null {
    return this.count > 0 ? this.totals[MIN]! : null;
  }

  get maxUs(): number | null {
    return this.count > 0 ? this.totals[MAX]! : null;
  }

  get meanUs(): number | null {
    return this.count > 0 ? this.totals[SUM]! / this.count : null;
  }

  /** Sample standard deviation (n - 1); null for fewer than two values. */
  get sdUs(): number | null {
    if (this.count < 2) return null;
    if (this.totals[MIN] === this.totals[MAX]) return 0;
    const mean = this.totals[SUM]! / this.count;
    return Math.sqrt(Math.max(0, (this.totals[SUM_SQUARES]! - this.totals[SUM]! * mean) / (this.count - 1)));
  }

  /**
   * Returns the highest equivalent value, in µs, of the bucket that contains percentile `percent` (0 to 100);
   * null if empty.
   */
  percentile(percent: number): number | null {
    if (!(percent >= 0 && percent <= 100))
      throw new RangeError(`percentile must be 0 to 100, got ${percent}`);
    return this.percentiles([percent])[0]?.valueUs ?? null;
  }

  /**
   * Returns points of the percentile curve, evenly spaced in -log(1 - p) up to the last value that the count
   * resolves.
   */
  cumulative(points = 100): PercentilePoint[] {
    if (!Number.isInteger(points) || points < 2) throw new RangeError(`points must be >= 2, got ${points}`);
    const nines = Math.log10(Math.max(10, this.count));
    const percents = Array.from({ length: points }, (_, i) =>
      i === points - 1 ? 100 : 100 * (1 - 10 ** ((-nines * i) / (points - 1))),
    );
    return this.percentiles(percents);
  }

  /**
   * Counts values per drawing bin [fromUs, toUs), with the given ascending edges, or with a number of bins
   * that cover all values.
   */
  bins(edges: readonly number[] | number, scale: 'linear' | 'log' = 'linear'): HistogramBin[] {
    const filled = [...this.filledBuckets()];
    if (filled.length === 0) return [];
    if (typeof edges !== 'number') return tallyBins(edges, filled);
    const { fromUs } = filled[0]!;
    const range = {
      fromUs: scale === 'log' ? Math.max(0.5 / this.scale, fromUs) : fromUs,
      toUs: filled.at(-1)!.toUs,
    };
    return tallyBins(makeBinEdges({ bins: edges, scale, ...range }), filled);
  }

  /** Adds all values from another histogram with the same layout. Throws RangeError if the layouts differ. */
  merge(other: LatencyHistogram): this {
    const { lowest, highest, significantDigits } = other.range;
    const own = this.range;
    if (own.lowest !== lowest || own.highest !== highest || own.significantDigits !== significantDigits) {
      throw new RangeError('histograms with different layouts cannot be merged');
    }
    for (let i = 0; i < this.counts.length; i += 1) this.counts[i]! += other.counts[i]!;
    for (const slot of [COUNT, SUM, SUM_SQUARES]) this.totals[slot]! += other.totals[slot]!;
    this.totals[MIN] = Math.min(this.totals[MIN]!, other.totals[MIN]!);
    this.totals[MAX] = Math.max(this.totals[MAX]!, other.totals[MAX]!);
    this.overflowCount += other.overflowCount;
    this.underflowCount += other.underflowCount;
    return this;
  }

  /** Empties the histogram for the next interval without releasing its memory. */
  reset(): void {
    this.counts.fill(0);
    this.totals.set([0, 0, 0, Infinity, -Infinity]);
    this.overflowCount = 0;
    this.underflowCount = 0;
  }

  toJson(): HistogramJson {
    const buckets: number[] = [];
    for (let i = 0; i < this.counts.length; i += 1) {
      if (this.counts[i]! > 0) buckets.push(i, this.counts[i]!);
    }
    return {
      lowest: this.range.lowest,
      highest: this.range.highest,
      digits: this.range.significantDigits,
      count: this.count,
      min: this.minUs,
      max: this.maxUs,
      sum: this.totals[SUM]!,
      sumSquares: this.totals[SUM_SQUARES]!,
      overflow: this.overflowCount,
      underflow: this.underflowCount,
      buckets,
    };
  }

  /** Parses the output of `toJson`. Throws TypeError or RangeError on any other input. */
  static fromJson(input: unknown): LatencyHistogram {
    const json = parseHistogramJson(input);
    const histogram = new LatencyHistogram({
      lowest: json.lowest,
      highest: json.highest,
      significantDigits: json.digits,
    });
    for (let i = 0; i < json.buckets.length; i += 2) {
      const index = json.buckets[i]!;
      if (index >= histogram.counts.length) throw new RangeError(`bucket ${index} is outside the histogram`);
      histogram.counts[index]! += json.buckets[i + 1]!;
    }
    const totals = [json.count, json.sum, json.sumSquares, json.min ?? Infinity, json.max ?? -Infinity];
    histogram.totals.set(totals);
    histogram.overflowCount = json.overflow;
    histogram.underflowCount = json.underflow;
    return histogram;
  }

  private clamp(valueUs: number): number {
    if (!Number.isFinite(valueUs)) throw new RangeError(`a latency must be finite, got ${valueUs}`);
    if (valueUs < 0) {
      this.underflowCount += 1;
      return 0;
    }
    this.overflowCount += 1;
    return this.layout.highest;
  }

  /** One pass for ascending percents. */
  private percentiles(percents: readonly number[]): PercentilePoint[] {
    const points: PercentilePoint[] = [];
    if (this.count === 0) return points;
    let index = -1;
    let seen = 0;
    for (const percent of percents) {
      const target = countAtPercentile(percent, this.count);
      while (seen < target) {
        index += 1;
        seen += this.counts[index]!;
      }
      points.push({ percentile: percent, valueUs: highestValueAt(this.layout, index) / this.scale });
    }
    return points;
  }

  private *filledBuckets(): Generator<HistogramBin> {
    const last = histogramIndexOf(this.layout, this.layout.highest);
    for (let i = 0; i <= last; i += 1) {
      const count = this.counts[i]!;
      if (count === 0) continue;
      const fromUs = lowestValueAt(this.layout, i) / this.scale;
      yield { fromUs, toUs: (highestValueAt(this.layout, i) + 1) / this.scale, count };
    }
  }
}

/** Returns 1 unless `lowest` is a decimal fraction. The layout checks all other values. */
function stepsPerUs(lowest: number): number {
  return [10, 100, 1000].find((steps) => lowest === 1 / steps) ?? 1;
}

function inSteps({ lowest, highest, ...range }: HistogramRange, steps: number): HistogramRange {
  return steps === 1 ? { lowest, highest, ...range } : { lowest: 1, highest: highest * steps, ...range };
}

/**
 * Returns the rank of a percentile, with a tolerance of one unit in the last place (HdrHistogram
 * `getValueAtPercentile`).
 */
function countAtPercentile(percent: number, count: number): number {
  const exact = (percent / 100) * count;
  const ulp = exact > 0 ? 2 ** (Math.floor(Math.log2(exact)) - 52) : 0;
  return Math.max(1, Math.min(count, Math.ceil(exact - ulp)));
}
