import { setTimeout as wait } from 'node:timers/promises';
import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import { payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { Drained } from '@mqttlab/shared/messages/agent';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { Traffic } from '../mqtt/connection.ts';
import { followTimeline } from '../pacing/follow-timeline.ts';
import { Latch } from '../pacing/latch.ts';
import type { Instants, LoadPhase } from '../pacing/timeline.ts';
import { makePayloadOpening, nothingRefused, type PayloadOpening } from '../payload/path/payload-opening.ts';
import { ArrivalCounter, type ArrivalTotals } from './counting/arrival-counter.ts';
import { ArrivalWindow } from './counting/arrival-window.ts';
import { toHistogramJson } from './counting/histogram-json.ts';
import { PublisherSpans } from './counting/publisher-spans.ts';
import { makeReadingAge } from './counting/reading-age.ts';
import type { Carrier, LoadFigures, LoadSnapshot, RoleLoad } from './role-load.ts';
import type { RoleLoadOptions } from './role-load-options.ts';
import { Subscriber } from './subscriber.ts';

const drainPollMs = 1;
/** Nothing for so long means that nothing more comes: at QoS 0 sooner, because a lost message stays lost. */
const quietMs = { atMostOnce: 1_000, guaranteed: 5_000 };

/** All subscriptions of this worker. */
export class SubscriberLoad implements RoleLoad {
  readonly #options: RoleLoadOptions;
  readonly #totals: ArrivalTotals;
  readonly #opening: PayloadOpening | null;
  #cancel: () => void = () => {};
  #endNow: () => void = () => {};
  #started = false;
  #stopped = false;
  readonly #ended = new Latch();

  constructor(options: RoleLoadOptions) {
    this.#options = options;
    this.#totals = makeTotals(options.command.spec.publishers);
    this.#opening = makePayloadOpening(options);
  }

  attach(carrier: Carrier, _index: number): Traffic {
    const { spec, runTag, clock, share, mirror } = this.#options.command;
    const counter = new ArrivalCounter({
      runTag,
      // The way there and back has one clock for the publishers of this very device only.
      firstPublisher: mirror ? (share?.first ?? 0) : 0,
      publishers: spec.publishers,
      publishersOfRun: share?.publishers ?? spec.publishers,
      stamped: payloadBytesOf(spec) >= stampBytes,
      offsetUs: clock.offsetUs,
      totals: this.#totals,
    });
    return new Subscriber(this.#opening?.makeReceiver(counter) ?? counter, carrier.writer);
  }

  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    const { clock } = this.#options;
    const { window } = this.#totals;
    window.open(instants);
    const enter = (phase: LoadPhase): void => {
      if (this.#stopped) return;
      if (phase === 'drain') window.close(clock.nowUs());
      onEnter(phase);
      if (phase === 'drain') this.stop();
    };
    this.#endNow = () => enter('drain');
    this.#cancel = followTimeline(clock, instants, enter);
  }

  lose(): void {}

  stop(): void {
    this.#stopped = true;
    this.#ended.open();
    this.#cancel();
  }

  /** Until `expected` measured messages came, or nothing came for a while, or the time of the Trial is over. */
  async drain(expected: number | null): Promise<Drained> {
    // The publishers are through: a load of so many messages is over before its time.
    if (endsEarly(this.#options.command.spec)) this.#endNow();
    await this.#ended.opened;
    const { spec } = this.#options.command;
    const totals = this.#totals;
    const patienceMs = spec.qos === 0 || expected === null ? quietMs.atMostOnce : quietMs.guaranteed;
    const deadlineMs = performance.now() + spec.drainTimeoutMs;
    let seen = totals.all;
    let lastMs = performance.now();
    const complete = () => expected !== null && totals.received >= expected;
    while (!complete() && performance.now() < deadlineMs && performance.now() - lastMs < patienceMs) {
      await wait(drainPollMs);
      if (totals.all !== seen) lastMs = performance.now();
      seen = totals.all;
    }
    return { messages: totals.received, timedOut: expected !== null && !complete() };
  }

  snapshot(): LoadSnapshot {
    const { received, all, recent } = this.#totals;
    const at = (percent: number) => (recent.percentile(percent) ?? 0) / 1000;
    const latencyMs = recent.count === 0 ? null : { p5: at(5), p50: at(50), p95: at(95) };
    recent.reset();
    return { messages: received, all, late: 0, latencyMs };
  }

  figures(): LoadFigures {
    const totals = this.#totals;
    const latency = toHistogramJson(totals.latency);
    const readingAge = makeReadingAge(latency, this.#options.command.spec);
    const { refused, histograms } = this.#opening?.figures() ?? nothingRefused;
    return {
      counters: makeCounters({
        received: totals.received,
        ...refused,
        duplicate: totals.duplicate + refused.duplicate,
        reordered: totals.reordered,
        unstamped: totals.unstamped,
        payloadBytesReceived: totals.payloadBytes,
      }),
      throughput: totals.window.figures(this.#options.command.clock.offsetUs),
      latency,
      lateness: null,
      histograms: { ...histograms, ...(readingAge && { readingAge }) },
      facts: totals.spans.facts(),
      degraded: totals.foreign === 0 ? [] : [{ collector: 'messages', reason: intrusion(totals.foreign) }],
    };
  }
}

function makeTotals(publishers: number): ArrivalTotals {
  const counts = {
    received: 0,
    all: 0,
    duplicate: 0,
    reordered: 0,
    unstamped: 0,
    payloadBytes: 0,
    foreign: 0,
  };
  const [latency, recent] = [makeHistogram(), makeHistogram()];
  const [spans, window] = [new PublisherSpans(publishers), new ArrivalWindow()];
  return { ...counts, latency, recent, spans, window };
}

function makeHistogram(): LatencyHistogram {
  return new LatencyHistogram({ lowest: 1, highest: 6e7, significantDigits: 3 });
}

function intrusion(count: number): string {
  return `${count} messages of another Run or program arrived on the topic; they were not counted.`;
}
