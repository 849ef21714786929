import * as z from 'zod';
import { entryOf } from '../domain/bounds.ts';
import type { Issue } from '../domain/issue.ts';

type Metrics = Record<string, number>;

/** One run of a tool, or the reason why its output cannot be read. */
export type ReadOutput = { ok: true; metrics: Metrics } | { ok: false; issue: Issue };

const totalsSchema = z.object({
  successes: z.number(),
  failures: z.number(),
  total_run_time: z.number(),
  avg_run_time: z.number(),
  msg_time_max: z.number(),
  msg_time_mean_avg: z.number(),
  total_msgs_per_sec: z.number(),
});

const clientSchema = z.object({ successes: z.number(), msg_time_mean: z.number() });
const benchmarkSchema = z.object({ runs: z.array(clientSchema).default([]), totals: totalsSchema });

type Totals = z.infer<typeof totalsSchema>;

/** Labels in the TOTAL section of the text format; some versions write "Runime". */
const totalLines: readonly [keyof Totals, RegExp][] = [
  ['total_run_time', /^Total Run(?:t)?ime \(sec\):\s*([\d.]+)/m],
  ['avg_run_time', /^Average Runtime \(sec\):\s*([\d.]+)/m],
  ['msg_time_max', /^Msg time max \(ms\):\s*([\d.]+)/m],
  ['msg_time_mean_avg', /^Msg time mean mean \(ms\):\s*([\d.]+)/m],
  ['total_msgs_per_sec', /^Total Bandwidth \(msg\/sec\):\s*([\d.]+)/m],
];

/**
 * Reads the result of krylovsk/mqtt-benchmark, `--format json` or `--format text`. Its message time ends with
 * the last acknowledgement at the publisher, so it is an exchange time and not a latency. Pure.
 */
function readMqttBenchmark(text: string): ReadOutput {
  const start = text.indexOf('{');
  if (start < 0 || /^=+ TOTAL \(/m.test(text)) return readBenchmarkText(text);
  try {
    const parsed = benchmarkSchema.safeParse(JSON.parse(text.slice(start)));
    if (parsed.success) return { ok: true, metrics: metricsOf(parsed.data.totals, parsed.data.runs) };
    const [issue] = parsed.error.issues;
    return refuse(issue?.path.join('.') ?? 'file', issue?.message ?? 'is not a result', jsonRemedy);
  } catch {
    return refuse('file', 'is not valid JSON', jsonRemedy);
  }
}

const jsonRemedy = 'Save the complete output of "mqtt-benchmark --format json --quiet".';

function readBenchmarkText(text: string): ReadOutput {
  const total = text.slice(text.search(/^=+ TOTAL \(/m));
  const [, done, all] = /^Total Ratio:\s*[\d.]+ \((\d+)\/(\d+)\)/m.exec(total) ?? [];
  const values = totalLines.map(([name, form]) => [name, form.exec(total)?.[1]] as const);
  const missing = values.find(([, value]) => value === undefined);
  if (done === undefined || all === undefined || missing) {
    const lacking = done === undefined ? 'Total Ratio' : missing?.[0];
    return refuse('file', `has no line with ${lacking} in its TOTAL section`, jsonRemedy);
  }
  const numbers = Object.fromEntries(values.map(([name, value]) => [name, Number(value)]));
  const counts = { successes: Number(done), failures: Number(all) - Number(done) };
  return { ok: true, metrics: metricsOf(totalsSchema.parse({ ...numbers, ...counts }), []) };
}

function metricsOf(totals: Totals, clients: readonly z.infer<typeof clientSchema>[]): Metrics {
  const { successes, failures } = totals;
  const counted = clients.reduce((sum, client) => sum + client.successes, 0);
  // The stated mean is over clients, which equals the mean over messages only if all clients sent the same
  // number.
  const mean =
    counted > 0
      ? clients.reduce((sum, client) => sum + client.successes * client.msg_time_mean, 0) / counted
      : totals.msg_time_mean_avg;
  return {
    'exchange.mean': mean,
    'exchange.max': totals.msg_time_max,
    'rate.messages': totals.total_msgs_per_sec,
    'publishers.runTime': totals.avg_run_time,
    'publishers.totalRunTime': totals.total_run_time,
    'count.sent': successes + failures,
  };
}

/** "2m1s recv total=49 rate=1.01/sec"; times up to 0.10 are in ms: "recv(1001): total=49, rate=48(msg/sec)". */
const benchLine =
  /(?:^|\s)(?:(?:(\d+)h)?(?:(\d+)m)?(\d+)s (\w+) total=(\d+) rate=[\d.]+\/sec|(recv|sent)\((\d+)\): total=(\d+), rate=[\d.]+\(msg\/sec\))/g;

interface Counter {
  first: { ms: number; total: number };
  last: { ms: number; total: number };
}

/**
 * Reads the log of emqtt-bench, which contains counter lines, one per second. The message rate is the slope
 * between the first and the last line of received messages, or of published messages if the log has no
 * received messages. Pure.
 */
function readEmqttBench(text: string): ReadOutput {
  const counters = new Map<string, Counter>();
  for (const [, h, m, s, name, total, oldName, oldMs, oldTotal] of text.matchAll(benchLine)) {
    const ms =
      oldMs === undefined ? 1000 * (3600 * Number(h ?? 0) + 60 * Number(m ?? 0) + Number(s)) : Number(oldMs);
    const point = { ms, total: Number(total ?? oldTotal) };
    const key = name ?? (oldName === 'sent' ? 'pub' : (oldName ?? ''));
    counters.set(key, { first: counters.get(key)?.first ?? point, last: point });
  }
  const lastOf = (name: string) => counters.get(name)?.last.total;
  const sent = lastOf('pub_succ') ?? lastOf('pub');
  const received = lastOf('recv');
  const rate = slopeOf(counters.get('recv') ?? counters.get('pub_succ') ?? counters.get('pub'));
  const found: readonly [string, number | undefined][] = [
    ['rate.messages', rate],
    ['count.sent', sent],
    ['count.received', received],
    ['count.connectionsOpened', lastOf('connect_succ')],
    ['count.connectionsFailed', lastOf('connect_fail')],
  ];
  const values = found.flatMap(([id, value]) => (value === undefined ? [] : [[id, value] as const]));
  if (values.length === 0) {
    return refuse(
      'file',
      'has no counter line such as "1s recv total=100 rate=100.00/sec"',
      'Save the output of emqtt_bench pub, sub or conn.',
    );
  }
  return { ok: true, metrics: Object.fromEntries(values) };
}

/** Returns messages per second; undefined for a single line. */
function slopeOf(counter: Counter | undefined): number | undefined {
  if (!counter || counter.last.ms <= counter.first.ms) return undefined;
  const { first, last } = counter;
  return (1000 * (last.total - first.total)) / (last.ms - first.ms);
}

function refuse(field: string, reason: string, remedy: string): ReadOutput {
  return { ok: false, issue: { field, reason, remedy } };
}

/** Tools whose output can be imported; each file is one run. */
const tools = { 'mqtt-benchmark': readMqttBenchmark, 'emqtt-bench': readEmqttBench } as const;

export const toolNames = Object.keys(tools);

/** Returns the reader for a tool's output; undefined for an unknown tool. */
export function readerOf(tool: string): ((text: string) => ReadOutput) | undefined {
  return entryOf<(text: string) => ReadOutput>(tools, tool);
}
