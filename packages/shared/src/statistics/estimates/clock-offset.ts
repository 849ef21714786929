/**
 * One response in the four-timestamp exchange (RFC 5905 section 8), in µs; t0 and t3 are on the requester's
 * clock.
 */
export interface ClockSample {
  t0Us: number;
  t1Us: number;
  t2Us: number;
  t3Us: number;
}

/**
 * Estimates the offset of the other clock from the requester's clock. The sample with the smallest delay
 * bounds the offset best: the true offset is within half its delay (RFC 5905 section 8; clock filter in
 * section 10). Throws RangeError without samples.
 */
export function clockOffsetOf(samples: readonly ClockSample[]): { offsetUs: number; uncertaintyUs: number } {
  const [first, ...rest] = samples;
  if (first === undefined) throw new RangeError('no clock samples');
  const best = rest.reduce((least, sample) => (delayUs(sample) < delayUs(least) ? sample : least), first);
  return {
    offsetUs: (best.t0Us - best.t1Us + (best.t3Us - best.t2Us)) / 2,
    uncertaintyUs: Math.max(0, delayUs(best)) / 2,
  };
}

/** Returns the time on the wire in both directions. */
function delayUs({ t0Us, t1Us, t2Us, t3Us }: ClockSample): number {
  return t3Us - t0Us - (t2Us - t1Us);
}
