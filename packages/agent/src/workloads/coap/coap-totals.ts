import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { RecentLatency } from '../counting/histograms.ts';
import { ArrivalWindow, SentWindow } from '../counting/throughput.ts';

/** What all publishers of a worker add up in; messages of the measure phase unless told otherwise. */
export function makeTotals() {
  const histogram = () => new LatencyHistogram({ lowest: 1, highest: 3e8, significantDigits: 3 });
  return {
    sent: 0,
    answered: 0,
    late: 0,
    /** Warm-up included: requests, answers, requests under way, confirmable ones that were sent again. */
    all: 0,
    replies: 0,
    unwritten: 0,
    retransmitted: 0,
    wire: { sent: 0, received: 0 },
    /** Requests, and answers to any of them that came meanwhile. */
    window: new SentWindow(),
    answers: new ArrivalWindow(),
    lateness: histogram(),
    exchange: histogram(),
    recent: new RecentLatency(),
  };
}

export type CoapTotals = ReturnType<typeof makeTotals>;
