import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';

/** How long a cipher takes for a message, µs in steps of 0.01, up to 10 s. */
export function makePayloadTimes(): LatencyHistogram {
  return new LatencyHistogram({ lowest: 0.01, highest: 1e7, significantDigits: 3 });
}
