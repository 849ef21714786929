import { expect, it } from 'vitest';
import { inSentence } from './unit.ts';

it.each([
  ['Latency, median', 'latency, median'],
  ['No messages lost at QoS 1 and 2', 'no messages lost at QoS 1 and 2'],
  ['CPU, publisher', 'CPU, publisher'],
  ['QoS granted', 'QoS granted'],
  ['P99 of lateness', 'P99 of lateness'],
  ['A clock', 'a clock'],
  ['', ''],
])('puts %s into a sentence as %s', (label, words) => {
  expect(inSentence(label)).toBe(words);
});
