import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { BufferPool } from '../mqtt/buffer-pool.ts';
import type { ByteWriter } from '../mqtt/byte-writer.ts';
import { makePublishTemplate } from '../mqtt/publish-template.ts';
import { makePayloadSealing } from '../payload/path/payload-sealing.ts';
import { toHistogramJson } from './counting/histogram-json.ts';
import { SentWindow } from './counting/sent-window.ts';
import { Publisher, packetsPerBuffer, type SendingTotals } from './publisher.ts';
import type { LoadFigures } from './role-load.ts';
import type { RoleLoadOptions } from './role-load-options.ts';

/** A message written more than this behind its due time counts as late. */
const lateAfterUs = 1_000;

/** What all publishers of a worker share, and the way to make one. */
export interface Sending {
  totals: SendingTotals;
  makePublisher: (of: { index: number; to: ByteWriter; onFree: () => void }) => Publisher;
  /** Of those sent in the measure phase, the ones that nobody must accept. */
  altered: () => number;
  /** `unsent`: due in the measure phase but never sent. */
  figures: (unsent: number) => LoadFigures;
}

export function makeSending(options: RoleLoadOptions): Sending {
  const { command, clock } = options;
  const { spec, runTag } = command;
  const totals: SendingTotals = {
    sent: 0,
    all: 0,
    acknowledged: 0,
    replies: 0,
    unwritten: 0,
    late: 0,
    payloadBytes: 0,
    refused: 0,
    window: new SentWindow(),
    lateness: new LatencyHistogram({ lowest: 1, highest: 6e7, significantDigits: 3 }),
    exchange: new LatencyHistogram({ lowest: 1, highest: 6e7, significantDigits: 3 }),
  };
  const template = makePublishTemplate(spec, runTag);
  const { packet } = template;
  const pool = new BufferPool<Publisher>({
    bufferBytes: packet.length * packetsPerBuffer(packet.length),
    fill: (bytes) => {
      for (let at = 0; at < bytes.length; at += packet.length) bytes.set(packet, at);
    },
    onGiven: (publisher) => publisher.onWritten(),
  });
  const first = command.share?.first ?? 0;
  const sealing = makePayloadSealing({ ...options, template });
  const shared = { runTag, offsetUs: command.clock.offsetUs, qos: spec.qos, lateAfterUs, clock };
  return {
    totals,
    makePublisher: (of) =>
      new Publisher({
        ...shared,
        ...of,
        number: first + of.index,
        template,
        seal: sealing?.makeSeal() ?? null,
        pool,
        totals,
      }),
    altered: () => sealing?.altered() ?? 0,
    figures(unsent) {
      const figures = describeSending(totals, unsent);
      const carriedBytesSent = totals.sent * template.carriedBytes;
      const { histograms = {}, ...sealed } = sealing?.figures() ?? {};
      return {
        ...figures,
        ...sealed,
        throughput: totals.window.figures(command.clock.offsetUs),
        counters: { ...figures.counters, carriedBytesSent, altered: sealing?.altered() ?? 0 },
        histograms: { ...figures.histograms, ...histograms },
      };
    },
  };
}

function describeSending(totals: SendingTotals, unsent: number): LoadFigures {
  const { sent, acknowledged, late, payloadBytes, refused, lateness } = totals;
  const exchange = toHistogramJson(totals.exchange);
  return {
    counters: makeCounters({ sent, acknowledged, late, unsent, payloadBytesSent: payloadBytes }),
    latency: null,
    lateness: toHistogramJson(lateness),
    histograms: exchange === null ? {} : { exchange },
    degraded: refused === 0 ? [] : [{ collector: 'acknowledgements', reason: refusal(refused) }],
  };
}

function refusal(count: number): string {
  return `The broker refused ${count} messages in its acknowledgements.`;
}
