/** Mapping of values to counters: HdrHistogram's scheme of octaves, each divided into equal sub-buckets. */
export interface HistogramLayout {
  lowest: number;
  highest: number;
  significantDigits: number;
  unitMagnitude: number;
  halfMagnitude: number;
  subBucketMask: number;
  bucketBase: number;
  length: number;
}

export interface HistogramRange {
  lowest: number;
  highest: number;
  significantDigits: number;
}

/** Computes the counter layout. Source: HdrHistogram (Java) `AbstractHistogram.init`. Throws RangeError. */
export function makeHistogramLayout({ lowest, highest, significantDigits }: HistogramRange): HistogramLayout {
  if (!Number.isInteger(significantDigits) || significantDigits < 1 || significantDigits > 5) {
    throw new RangeError(`significantDigits must be 1 to 5, got ${significantDigits}`);
  }
  if (!Number.isInteger(lowest) || lowest < 1) throw new RangeError(`lowest must be >= 1, got ${lowest}`);
  if (!Number.isInteger(highest) || highest < 2 * lowest || highest >= 2 ** 31) {
    throw new RangeError(`highest must be an integer in [2 x lowest, 2^31), got ${highest}`);
  }
  const unitMagnitude = Math.floor(Math.log2(lowest));
  const halfMagnitude = Math.ceil(Math.log2(2 * 10 ** significantDigits)) - 1;
  if (unitMagnitude + halfMagnitude > 29)
    throw new RangeError('lowest and significantDigits need more than 31 bits');
  const subBucketCount = 2 ** (halfMagnitude + 1);
  let octaves = 1;
  for (let top = subBucketCount * 2 ** unitMagnitude; top <= highest; top *= 2) octaves += 1;
  return {
    lowest,
    highest,
    significantDigits,
    unitMagnitude,
    halfMagnitude,
    subBucketMask: (subBucketCount - 1) << unitMagnitude,
    bucketBase: 31 - halfMagnitude - unitMagnitude,
    length: (octaves + 1) * (subBucketCount / 2),
  };
}

/** Returns the index of the counter that contains an integer value in [0, highest]. */
export function histogramIndexOf(layout: HistogramLayout, value: number): number {
  const octave = layout.bucketBase - Math.clz32(value | layout.subBucketMask);
  return (octave << layout.halfMagnitude) + (value >>> (octave + layout.unitMagnitude));
}

/** Returns the smallest integer value that a counter contains. */
export function lowestValueAt(layout: HistogramLayout, index: number): number {
  const octave = Math.max(0, (index >>> layout.halfMagnitude) - 1);
  return (index - (octave << layout.halfMagnitude)) * 2 ** (octave + layout.unitMagnitude);
}

/** Returns the largest integer value that a counter contains (the "highest equivalent value"). */
export function highestValueAt(layout: HistogramLayout, index: number): number {
  const octave = Math.max(0, (index >>> layout.halfMagnitude) - 1);
  return lowestValueAt(layout, index) + 2 ** (octave + layout.unitMagnitude) - 1;
}

/**
 * Stored and transferred form of a histogram; `buckets` contains index, count, index, count, ... without
 * zeros.
 */
export interface HistogramJson {
  lowest: number;
  highest: number;
  digits: number;
  count: number;
  min: number | null;
  max: number | null;
  sum: number;
  sumSquares: number;
  overflow: number;
  underflow: number;
  buckets: number[];
}

/** Checks a stored histogram. Throws TypeError (wrong shape) or RangeError (inconsistent numbers). */
export function parseHistogramJson(input: unknown): HistogramJson {
  if (typeof input !== 'object' || input === null) throw new TypeError('a histogram must be an object');
  const fields = new Map<string, unknown>(Object.entries(input));
  const number = (name: string): number => {
    const value = fields.get(name);
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new TypeError(`histogram field "${name}" must be a finite number`);
    }
    return value;
  };
  const whole = (name: string): number => {
    const value = number(name);
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`histogram field "${name}" must be a whole number >= 0`);
    }
    return value;
  };
  const count = whole('count');
  const buckets = parseBuckets(fields.get('buckets'));
  const total = buckets.reduce((sum, value, i) => (i % 2 === 1 ? sum + value : sum), 0);
  if (total !== count) throw new RangeError(`buckets contain ${total} values, but count is ${count}`);
  return {
    lowest: number('lowest'),
    highest: whole('highest'),
    digits: whole('digits'),
    count,
    min: count === 0 ? null : number('min'),
    max: count === 0 ? null : number('max'),
    sum: number('sum'),
    sumSquares: number('sumSquares'),
    overflow: whole('overflow'),
    underflow: whole('underflow'),
    buckets,
  };
}

function parseBuckets(input: unknown): number[] {
  if (!Array.isArray(input) || input.length % 2 !== 0) {
    throw new TypeError('histogram field "buckets" must be an array of pairs of index and count');
  }
  return input.map((value: unknown) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw new RangeError('histogram field "buckets" must contain whole numbers >= 0');
    }
    return value;
  });
}

/** Count of values in [fromUs, toUs). */
export interface HistogramBin {
  fromUs: number;
  toUs: number;
  count: number;
}

interface BinRange {
  bins: number;
  fromUs: number;
  toUs: number;
  scale: 'linear' | 'log';
}

/**
 * Returns equally wide edges (on a log axis, equally wide in log) from `fromUs`, which is above 0 on a log
 * axis, to `toUs`.
 */
export function makeBinEdges({ bins, fromUs, toUs, scale }: BinRange): number[] {
  if (!Number.isInteger(bins) || bins < 1)
    throw new RangeError(`the number of bins must be >= 1, got ${bins}`);
  const edges = Array.from({ length: bins + 1 }, (_, i) =>
    scale === 'log' ? fromUs * (toUs / fromUs) ** (i / bins) : fromUs + ((toUs - fromUs) * i) / bins,
  );
  edges[bins] = toUs;
  return edges;
}

/**
 * Sums finer bins into coarser bins; each fine bin is added to the bin that contains its midpoint. Omits
 * values below the first or above the last edge. Throws RangeError unless the edges ascend.
 */
export function tallyBins(edges: readonly number[], fine: Iterable<HistogramBin>): HistogramBin[] {
  if (edges.length < 2 || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]!))) {
    throw new RangeError('there must be at least two bin edges in strictly ascending order');
  }
  const bins = edges.slice(1).map((toUs, i) => ({ fromUs: edges[i]!, toUs, count: 0 }));
  let at = 0;
  for (const { fromUs, toUs, count } of fine) {
    const middle = (fromUs + toUs) / 2;
    while (at < bins.length && middle >= bins[at]!.toUs) at += 1;
    if (at === bins.length) break;
    if (middle >= bins[at]!.fromUs) bins[at]!.count += count;
  }
  return bins;
}
