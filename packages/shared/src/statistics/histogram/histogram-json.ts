/** What is stored and sent of a histogram; `buckets` is index, count, index, count, ... without zeros. */
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

/** Checks a stored histogram. Throws TypeError (wrong shape) or RangeError (numbers that contradict). */
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
  if (total !== count) throw new RangeError(`buckets hold ${total} values, count says ${count}`);
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
    throw new TypeError('histogram field "buckets" must be an array of index, count pairs');
  }
  return input.map((value: unknown) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw new RangeError('histogram field "buckets" must hold whole numbers >= 0');
    }
    return value;
  });
}
