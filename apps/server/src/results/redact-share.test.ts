import { describe, expect, it } from 'vitest';
import { redactShare, redactText } from './share-content.ts';

describe('a public text', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:1883', 'connect ECONNREFUSED (not shown)'],
    ['Port 1883 is taken.', 'Port (not shown) is taken.'],
    ['it listens on ports 1883, 8883 and 9001', 'it listens on ports (not shown)'],
    ['the broker (process 4711) ended', 'the broker (process (not shown)) ended'],
    ['pid=12', 'pid=(not shown)'],
    ['at fe80::1%eth0, ::1 and 2001:db8::7', 'at (not shown), (not shown) and (not shown)'],
    ['[2001:db8::7]:8883 is closed', '(not shown) is closed'],
    ['mqtt://plug.lan/power', '(not shown)'],
    ['broker.example:8883 and localhost:1883', '(not shown) and (not shown)'],
    ['ENOENT: /var/lib/mqttlab/agents/x/result.json', 'ENOENT: (not shown)'],
    ['"/data/agents/x" is full', '"(not shown)" is full'],
    ['aa:bb:cc:dd:ee:ff', '(not shown)'],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  it.each([
    'TLS_AES_256_GCM_SHA384, X25519, TLSv1.3, OpenSSL 3.5.1',
    '12:34:56 on 2026-11-22T10:00:00Z',
    '200 messages/s, 18.4 ms [17.9, 18.8], 0/1 lost',
    'asked QoS 0/1/2, got 1; Mosquitto 2.0.11 on Linux 6.1.0-13-arm64',
    'warm-up: 3 of 5 s; ratio 1:2',
    'no process was found, every port was closed',
    'https is needed',
  ])('keeps "%s"', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

it('keeps fields named like members of every object', () => {
  const content = { levels: { constructor: 'a', valueOf: ['b'], hasOwnProperty: { toString: 1 } } };
  expect(redactShare(content as never)).toEqual(content);
});
