import { expect, it } from 'vitest';
import { PublisherSpans } from './publisher-spans.ts';

it('tells the run time of a publisher and how its latency differs from that of the others', () => {
  const spans = new PublisherSpans(3);
  spans.add(0, 1_000, 3_000);
  spans.add(0, 5_000, 11_000);
  spans.add(2, 2_000, 10_000);
  // Publisher 0: 10 ms from first to last, 4 ms a message; publisher 2: 8 ms and 8 ms; nothing was heard of 1.
  expect(spans.facts()).toEqual({
    'publishers.runTimeMs': 9,
    'publishers.meanLatencySdMs': expect.closeTo(Math.sqrt(8), 9),
  });
});

it('tells nothing of a single publisher', () => {
  const spans = new PublisherSpans(1);
  spans.add(0, 0, 5_000);
  expect(spans.facts()).toEqual({});
});
