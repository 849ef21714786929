import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import { BufferPool, type ByteWriter } from '../mqtt/buffers.ts';
import { makePublishTemplate } from '../mqtt/packets.ts';
import { dueCountBefore, type Schedule } from '../pacing/schedule.ts';
import type { Instants } from '../pacing/timeline.ts';
import { makePayloadSealing } from '../payload/path/payload-sealing.ts';
import { makeDurations, toHistogramJson, toHistogramsJson } from './counting/histograms.ts';
import { SentWindow } from './counting/throughput.ts';
import {
  type PacedPublisher,
  Publisher,
  packetsPerBuffer,
  type SendingPlan,
  type SendingTotals,
} from './publisher.ts';
import type { LoadFigures, RoleLoadOptions } from './role-load.ts';

/** A message written more than this behind its due time counts as late. */
export const lateAfterUs = 1_000;

/** What all publishers of a worker share, and the way to make one. */
export interface Sending<Made extends PacedPublisher = Publisher> {
  totals: Pick<SendingTotals, 'sent' | 'all' | 'late' | 'unwritten' | 'replies' | 'window'>;
  /** Messages are paced from a thread of its own, where acknowledgements must be answered meanwhile. */
  ownThread: boolean;
  /** As fast as possible, acknowledgements are left alone for a while. */
  backsOff: boolean;
  makePublisher: (of: { index: number; to: ByteWriter; onFree: () => void }) => Made;
  /** Of those sent in the measure phase, the ones that nobody must accept. */
  altered: () => number;
  /** `unsent`: due in the measure phase but never sent. */
  figures: (unsent: number) => LoadFigures;
}

/** Of one publisher on a schedule; `messages`: null for as many as the measure phase has. */
export function planSending(
  schedule: Schedule,
  {
    index,
    instants,
    messages,
    window,
  }: { index: number; instants: Instants; messages: number | null; window: number },
): SendingPlan {
  const firstMeasured = dueCountBefore(schedule, index, instants.measureAtUs);
  const max = firstMeasured + (messages ?? Number.POSITIVE_INFINITY);
  return {
    schedule,
    firstMeasured,
    end: Math.min(dueCountBefore(schedule, index, instants.stopAtUs), max),
    window,
  };
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
    lateness: makeDurations(),
    exchange: makeDurations(),
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
    ownThread: spec.qos === 2,
    backsOff: spec.qos > 0,
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
  return {
    counters: makeCounters({ sent, acknowledged, late, unsent, payloadBytesSent: payloadBytes }),
    lateness: toHistogramJson(lateness),
    histograms: toHistogramsJson({ exchange: totals.exchange }),
    degraded: refused === 0 ? [] : [{ collector: 'acknowledgements', reason: refusal(refused) }],
  };
}

function refusal(count: number): string {
  return `The broker refused ${count} messages in its acknowledgements.`;
}
