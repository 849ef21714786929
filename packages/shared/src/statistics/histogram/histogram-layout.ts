/** How values map to counters: HdrHistogram's scheme of octaves, each cut into equal sub-buckets. */
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

/** Works out the counter layout. Source: HdrHistogram (Java) `AbstractHistogram.init`. Throws RangeError. */
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
    throw new RangeError('lowest and significantDigits need over 31 bits');
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

/** Index of the counter that holds an integer value in [0, highest]. */
export function histogramIndexOf(layout: HistogramLayout, value: number): number {
  const octave = layout.bucketBase - Math.clz32(value | layout.subBucketMask);
  return (octave << layout.halfMagnitude) + (value >>> (octave + layout.unitMagnitude));
}

/** Smallest integer value that a counter holds. */
export function lowestValueAt(layout: HistogramLayout, index: number): number {
  const octave = Math.max(0, (index >>> layout.halfMagnitude) - 1);
  return (index - (octave << layout.halfMagnitude)) * 2 ** (octave + layout.unitMagnitude);
}

/** Largest integer value that a counter holds (the "highest equivalent value"). */
export function highestValueAt(layout: HistogramLayout, index: number): number {
  const octave = Math.max(0, (index >>> layout.halfMagnitude) - 1);
  return lowestValueAt(layout, index) + 2 ** (octave + layout.unitMagnitude) - 1;
}
