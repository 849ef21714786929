import type { ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import { expect, test } from 'vitest';
import {
  dropCommand,
  findForeignRoot,
  findQueue,
  parseDrops,
  parseQdiscs,
  queueCommands,
} from './kernel-rules.ts';
import { parseConnections } from './tcp-state.ts';

const endpoint = { address: '10.83.0.11', port: 1883 };

function makeRule(change: Partial<ShapingRule>): ShapingRule {
  return {
    flow: 'towards the broker',
    at: 'egress',
    driver: 'netem',
    lossPercent: 0,
    delayMs: 0,
    jitterMs: 0,
    rateMbit: null,
    overLink: true,
    overLoopback: false,
    ...change,
  };
}

function commandsOf(change: Partial<ShapingRule>, { mtuBytes = 1_500, classifier = 'htb' as const } = {}) {
  const tree = { interfaceName: 'eth0', handle: 0x4d51, mtuBytes, rules: [makeRule(change)], endpoint };
  return queueCommands(tree, classifier).map((args) => args.join(' '));
}

test.each([
  [{ lossPercent: 2 }, 'netem limit 100000 loss random 2%'],
  [{ delayMs: 50 }, 'netem limit 100000 delay 50000us'],
  [{ delayMs: 0.25, jitterMs: 0.1 }, 'netem limit 100000 delay 250us 100us'],
  [
    { lossPercent: 0.5, delayMs: 10, jitterMs: 2, rateMbit: 1.5 },
    'netem limit 100000 delay 10000us 2000us loss random 0.5% rate 1500000bit',
  ],
  [{ driver: 'tbf' as const, rateMbit: 1 }, 'tbf rate 1000000bit burst 1564b latency 200ms'],
  [{ driver: 'tbf' as const, rateMbit: 100 }, 'tbf rate 100000000bit burst 125000b latency 200ms'],
])('%o has the syntax of the manual page', (rule, expected) => {
  expect(commandsOf(rule)).toContain(`qdisc add dev eth0 parent 4d51:10 handle 4d52: ${expected}`);
});

test('the largest packet of loopback fits into a burst', () => {
  expect(commandsOf({ driver: 'tbf', rateMbit: 0.1 }, { mtuBytes: 65_536 }).join('\n')).toContain(
    'burst 65600b',
  );
});

test('only the traffic of the broker is sent to a queue, the rest bypasses it', () => {
  expect(commandsOf({ lossPercent: 1 })).toEqual([
    'qdisc add dev eth0 root handle 4d51: htb default 0',
    'class add dev eth0 parent 4d51: classid 4d51:10 htb rate 10gbit quantum 60000',
    'qdisc add dev eth0 parent 4d51:10 handle 4d52: netem limit 100000 loss random 1%',
    'filter add dev eth0 parent 4d51: protocol ip prio 1 u32 match ip protocol 6 0xff match ip dst 10.83.0.11/32 match ip dport 1883 0xffff flowid 4d51:10',
    'filter add dev eth0 parent 4d51: protocol ip prio 1 u32 match ip protocol 17 0xff match ip dst 10.83.0.11/32 match ip dport 1883 0xffff flowid 4d51:10',
  ]);
  const tree = {
    interfaceName: 'lo',
    handle: 0x4d51,
    mtuBytes: 65_536,
    endpoint: { address: '::1', port: 1883 },
  };
  const rules = [makeRule({}), makeRule({ flow: 'from the broker' })];
  const commands = queueCommands({ ...tree, rules }, 'prio').map((args) => args.join(' '));
  expect(commands[0]).toBe(
    'qdisc add dev lo root handle 4d51: prio bands 9 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0',
  );
  expect(commands.at(-2)).toBe(
    'filter add dev lo parent 4d51: protocol ipv6 prio 2 u32 match ip6 protocol 6 0xff match ip6 src ::1/128 match ip6 sport 1883 0xffff flowid 4d51:3',
  );
});

test('loss is one command of nft, with a counter for matched and one for dropped packets', () => {
  const rules = [makeRule({ lossPercent: 2.5, flow: 'from the broker' })];
  expect(dropCommand('mqttlab_1_2', rules, endpoint).split('; ').slice(-2)).toEqual([
    'add rule inet mqttlab_1_2 arriving ip saddr 10.83.0.11 meta l4proto { tcp, udp } th sport 1883 counter name "seen0"',
    'add rule inet mqttlab_1_2 arriving ip saddr 10.83.0.11 meta l4proto { tcp, udp } th sport 1883 numgen random mod 1000000 < 25000 counter name "dropped0" drop',
  ]);
});

/** Output of tc of iproute2 6.1, netem with the options of its manual page. */
const qdiscs = JSON.stringify([
  {
    kind: 'htb',
    handle: '4d51:',
    root: true,
    refcnt: 2,
    options: { r2q: 10, default: '0' },
    bytes: 900,
    packets: 9,
    drops: 0,
    overlimits: 0,
    requeues: 0,
    backlog: 0,
    qlen: 0,
  },
  {
    kind: 'netem',
    handle: '4d52:',
    parent: '4d51:10',
    options: {
      limit: 100_000,
      delay: { delay: 0.05, jitter: 0.005, correlation: 0 },
      'loss-random': { loss: 0.02, correlation: 0 },
      ecn: false,
      gap: 0,
    },
    bytes: 800,
    packets: 8,
    drops: 2,
    overlimits: 0,
    requeues: 0,
    backlog: 0,
    qlen: 1,
  },
]);

test('counters of queues are read, and a foreign queue is detected', () => {
  const found = parseQdiscs(qdiscs);
  const netem = { handle: 0x4d51, index: 0, kind: 'netem' };
  expect(findQueue(found, netem)).toMatchObject({ packets: 8, drops: 2, qlen: 1, bytes: 800 });
  expect(findQueue(found, { ...netem, kind: 'tbf' })).toBeUndefined();
  expect(findQueue(found, { ...netem, handle: 0x4d61 })).toBeUndefined();
  expect(findQueue(found.slice(1), netem)).toBeUndefined();
  expect(findForeignRoot(found)?.kind).toBe('htb');
  expect(findForeignRoot(parseQdiscs('[{"kind":"tbf","handle":"8001:","root":true}]'))?.kind).toBe('tbf');
  expect(findForeignRoot(parseQdiscs('[{"kind":"noqueue","handle":"0:","root":true}]'))).toBeUndefined();
  expect(parseQdiscs('')).toEqual([]);
  expect(() => parseQdiscs('Error')).toThrow();
});

test('a table with a missing rule counts as removed', () => {
  const counter = (name: string, packets: number) => ({ counter: { name, packets, bytes: packets * 100 } });
  const counters = [counter('seen0', 50), counter('dropped0', 2)];
  const listing = (rules: number) =>
    JSON.stringify({
      nftables: [{ metainfo: {} }, ...counters, ...Array.from({ length: rules }, () => ({ rule: {} }))],
    });
  expect(parseDrops(listing(2), 1)).toEqual([{ packets: 50, dropped: 2, bytes: 4_800 }]);
  expect(parseDrops(listing(1), 1)).toBeNull();
});

test('TCP_INFO is read from the output of ss', () => {
  const line = (rtt: string, retrans: string) =>
    `ESTAB 0 0 127.0.0.1:40000 127.0.0.1:1883\t cubic wscale:7,7 rto:201 rtt:${rtt} mss:32741 segs_out:9 ${retrans}minrtt:0.02\n`;
  const text = `${line('0.9/0.3', 'retrans:0/3 ')}${line('0.1/0.2', '')}${line('0.5/0.2', 'retrans:1/4 ')}`;
  expect(parseConnections({ open: text })).toEqual({
    count: 3,
    retransmitted: 7,
    roundTripMs: 0.5,
    leastRoundTripMs: 0.02,
  });
  expect(parseConnections({ open: '\n' })).toMatchObject({
    count: 0,
    roundTripMs: null,
    leastRoundTripMs: null,
  });
});

test('only the connections of a role to one broker are counted, including closed ones, each once', () => {
  const line = (port: number, again: number, state = 'ESTAB') =>
    `${state} 0 0 127.0.0.1:${port} 127.0.0.1:1883\t cubic rtt:0.5/0.2 retrans:0/${again} minrtt:0.02\n`;
  // Two publishers, one of which has been closed since, a message's own connection, and a subscriber.
  const open = line(40_000, 3) + line(40_001, 5) + line(40_009, 100);
  const closed = line(40_001, 6, 'UNCONN') + line(40_002, 1, 'UNCONN') + line(40_008, 50, 'UNCONN');
  const own = { open, closed, ports: [40_000, 40_001, 40_002] };
  expect(parseConnections(own)).toMatchObject({ count: 3, retransmitted: 10 });
  expect(parseConnections({ open, closed })).toMatchObject({ count: 5, retransmitted: 160 });
  expect(parseConnections({ ...own, closed: '' })).toMatchObject({ count: 2, retransmitted: null });
});
