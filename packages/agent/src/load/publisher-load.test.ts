import { expect, it } from 'vitest';
import type { ByteWriter } from '../mqtt/packets.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { PublisherLoad } from './publisher-load.ts';
import { makePrepare } from './testing/play-trial.ts';

/** Far from the time of the pacer's own timer, which therefore never fires. */
const beginUs = 60e6;

/** 200 messages a second for 100 ms, by a manual clock. */
function makeBench(write: ByteWriter['write']) {
  const spec = makeTestSpec({
    qos: 0,
    readingsPerSecond: 200,
    warmUpMs: 0,
    measureMs: 100,
    drainTimeoutMs: 200,
  });
  const clock = { us: 0, nowUs: () => clock.us };
  const load = new PublisherLoad({
    command: makePrepare({ spec, port: 1883 }, 'publisher'),
    clock,
    payloadCipher: null,
  });
  load.attach({ writer: { write }, grant: null }, 0);
  const phases: string[] = [];
  load.start({ warmUpAtUs: beginUs, measureAtUs: beginUs, stopAtUs: beginUs + 100_000 }, (phase) =>
    phases.push(phase),
  );
  const turnAt = (us: number): void => {
    clock.us = beginUs + us;
    load.turn(clock.us);
  };
  return { load, turnAt, phases };
}

it('at the end sends due messages even if the last write has no callback yet', async () => {
  // Like TLS: the kernel accepted the write, which the event loop reports in its next turn.
  const { load, turnAt, phases } = makeBench((_bytes, done) => void setImmediate(done));
  turnAt(93_000);
  // No turn of the event loop in between: this process was suspended.
  turnAt(101_000);
  expect(phases).toEqual(['warm-up', 'measure', 'drain']);
  expect(await load.drain()).toEqual({ messages: 20, timedOut: false });
  expect(load.figures().counters).toMatchObject({ sent: 20, unsent: 0 });
});

it('at the end drops messages that a full socket does not accept', async () => {
  let written = 0;
  const { load, turnAt } = makeBench(() => {
    written += 1;
  });
  turnAt(93_000);
  turnAt(101_000);
  const { messages, timedOut } = await load.drain();
  expect(timedOut).toBe(true);
  expect(written).toBe(1);
  expect(messages).toBeLessThan(20);
  expect(load.figures().counters).toMatchObject({ sent: messages, unsent: 20 - messages });
});

it('sends nothing after a stop at the end', async () => {
  const { load, turnAt } = makeBench((_bytes, done) => void setImmediate(done));
  turnAt(93_000);
  turnAt(101_000);
  load.stop();
  const { messages } = await load.drain();
  expect(load.figures().counters).toMatchObject({ sent: messages, unsent: 20 - messages });
  expect(messages).toBeLessThan(20);
});
