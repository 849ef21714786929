import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import { factors, findFactor } from '@mqttlab/shared/catalogue/factors';
import { capture } from '@mqttlab/shared/catalogue/factors/capture';
import { keepAlive } from '@mqttlab/shared/catalogue/factors/keep-alive';
import { carriesMessages, reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { isBridged } from '@mqttlab/shared/domain/devices/device';
import { makeTestbedView, type TestbedView, withBroker } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorValue } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft, Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import { deliveriesOf, payloadBytesOf, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type WorkloadKind, workloadKinds } from '@mqttlab/shared/domain/plans/workload';
import { optionsOf } from '@mqttlab/shared/planning/check-plan';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import {
  type CoveringArray,
  type CoveringArrayInput,
  type Goal,
  makeCoveringArray,
  type Outcome,
  type Row,
} from '@mqttlab/shared/testing/covering-array';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { makeTinyDraft } from './rig.ts';

/** Column of the workload kind, which is not a factor but is crossed with all of them. */
const kindColumn = 'workload';
/** Column with one value in every row, so that "every level once" is also a matter of pairs. */
const everyRow: Goal = { column: 'run', label: 'run', values: [1] };
/** Value of `rate` in rows that need no particular rate; see `fillerRateOf`. */
const fillerRate = 'filler';
/** Messages per second of each publisher in rows that need no particular rate: the first feasible one. */
const fillerMessageRates = [20, 10, 5, 2, 1, 0.5];
/** Share of a rate limit for payloads, so that acknowledgements and retransmissions have room. */
const usableShareOfLimit = 0.3;
/** Maximum bytes of MQTT, TLS, TCP and IP around a payload. */
const headerBytes = 200;
/** Approximate traffic of one client until it is subscribed; segments determine the delay of a lost one. */
const setUpOf = (security: unknown) =>
  security === 'plain' ? { bytes: 700, segments: 4 } : { bytes: 8000, segments: 40 };
/** Time limit for connecting all clients over a limited link. */
const maxSetUpSeconds = 5;
/** Maximum clients that send or receive as fast as possible over an impaired link or with a capture. */
const maxAtFullSpeed = 12;
/** The same for client programs, each of which is a process. */
const maxProgramsAtFullSpeed = 2;
/** Bytes per second that Mosquitto writes to a WebSocket: messages over 4 kB are split, ten pieces a second. */
const webSocketBytesPerSecond = 33_000;
/** Largest payload that it writes in one piece. */
const webSocketPieceBytes = 4000;
/** Maximum connections over WebSocket and TLS: Mosquitto closes connections that are not upgraded in time. */
const maxSecureWebSockets = 100;
/** TCP repeats a segment after 0.2, 0.4 and 0.8 s: three losses in a row make a client late for a keep alive of 2 s. */
const packetsLostInRow = 3;
const shortKeepAlive = 2;
/** Expected number of connections that a broker closes because they are late. */
const mostLate = 0.02;
const suiteColumn = 'cipherSuite';
/** Factors whose levels are crossed with every single cipher suite, because they affect the handshake. */
const handshakeColumns = new Set([
  'security',
  'group',
  'certificate',
  'chainLength',
  'clientCertificate',
  'session',
]);
const maxMeasureMs = 8000;
/**
 * Maximum interfaces that become levels of `link`: other programs (containers, tests) may add and remove any number.
 */
const maxLinks = 2;

/** Load that the test machine can carry without losing messages or delaying everything. */
interface LoadLimits {
  /** Total of all publishers. */
  messagesPerSecond: number;
  /** The same with several subscribers, or over a link with loss or a rate limit. */
  hinderedMessagesPerSecond: number;
  deliveriesPerSecond: number;
  bytesPerSecond: number;
  connectionsPerSecond: number;
  processes: number;
  /**
   * Maximum lost segments while all clients connect: each costs a TCP timeout, and the next of the same client twice
   * that.
   */
  lostSegments: number;
}

/** For a machine with two idle cores. */
const idleMachine: LoadLimits = {
  messagesPerSecond: 10_000,
  hinderedMessagesPerSecond: 1000,
  deliveriesPerSecond: 10_000,
  bytesPerSecond: 12e6,
  connectionsPerSecond: 30,
  processes: 50,
  lostSegments: 60,
};

/** For a machine with two cores under other load. */
const busyMachine: LoadLimits = {
  messagesPerSecond: 200,
  hinderedMessagesPerSecond: 200,
  deliveriesPerSecond: 2000,
  bytesPerSecond: 1e6,
  connectionsPerSecond: 20,
  processes: 6,
  lostSegments: 20,
};

/**
 * Returns rows that together include every pair of levels that planning allows, of all factors and workload kinds of
 * the testbed. Cipher suites are crossed individually with the other factors of the handshake (protocol, group,
 * certificate, chain, client certificate, session). With all other factors they are crossed by two properties: the kind
 * of handshake (version, key exchange, authentication) and the mode of the record cipher (GCM, CCM, ChaCha20 or CBC).
 * Neither planning nor the code treats suites of one handshake or one mode differently there.
 */
export function makePairwiseMatrix(testbed: TestbedCapabilities, limits = idleMachine): CoveringArray {
  const suites = suiteGoals(testbed);
  const isSingle = new Set(suites.single);
  const isClass = new Set(suites.classes);
  return makeCoveringArray({
    ...makeRules(testbed, limits),
    goals: [...suites.single, ...suites.classes, ...otherGoals(testbed)],
    isWanted: (a, b) => {
      if (isSingle.has(a) || isSingle.has(b)) {
        return handshakeColumns.has(isSingle.has(a) ? b.column : a.column);
      }
      return (
        !(isClass.has(a) && handshakeColumns.has(b.column)) &&
        !(isClass.has(b) && handshakeColumns.has(a.column))
      );
    },
  });
}

/** Returns rows that together include every level once; of cipher suites one of each class. */
export function makeLevelMatrix(testbed: TestbedCapabilities, limits = busyMachine): CoveringArray {
  return makeCoveringArray({
    ...makeRules(testbed, limits),
    goals: [everyRow, ...suiteGoals(testbed).classes, ...otherGoals(testbed)],
    isWanted: (a, b) => a === everyRow || b === everyRow,
  });
}

/** Summarises the coverage of a matrix, and lists the legal pairs that no run includes. */
export function describeCoverage({ rows, wanted, covered, impossible, unsuitable }: CoveringArray): string {
  const left = unsuitable.map(
    ({ pair, reason }) => `  ${pair.map(({ label }) => label).join(' x ')}: ${reason}`,
  );
  const possible = wanted - impossible.length;
  return [
    `${covered} of ${possible} pairs in ${rows.length} runs; ${impossible.length} pairs impossible by planning`,
    ...(left.length > 0
      ? [`${left.length} pairs possible, but more than the machine can carry:`, ...left]
      : []),
  ].join('\n');
}

/**
 * Returns the experiment for a row: one treatment, once. `slowness`: how many times slower than an idle machine the
 * current one may be.
 */
export function makeRowDraft(row: Row, slowness = 1): ExperimentDraft {
  const { [kindColumn]: kind, [everyRow.column]: _, ...levels } = row;
  const asked = { ...levels, rate: levels.rate === fillerRate ? fillerRateOf(row) : (levels.rate ?? 1) };
  return makeTinyDraft({
    factors: Object.fromEntries(Object.entries(asked).map(([id, level]) => [id, [level]])),
    workload: makeRowWorkload(kind as WorkloadKind, asked, slowness),
    repetitions: 1,
  });
}

/**
 * Readings per second with which publishers, subscribers and message size of a row overload neither machine nor link.
 */
function fillerRateOf(row: Row): number {
  const [publishers, batch] = [Number(row.publishers), Number(row.readingsPerMessage)];
  const reached = publishers * Number(row.subscribers);
  const isConnectedEachTime = row.connectionUse === 'one per message' || row[kindColumn] === 'reconnect';
  const setUpBytes = isConnectedEachTime ? setUpOf(row.security).bytes : 0;
  const messageBits = 8 * (Number(row.readingBytes) * batch + headerBytes + setUpBytes);
  const payloadBytes = Number(row.readingBytes) * batch;
  const linkBits = row.rateLimit === 'none' ? Number.POSITIVE_INFINITY : 1e6 * Number(row.rateLimit);
  const isInPieces = row.transport === 'websocket' && payloadBytes > webSocketPieceBytes;
  const fits = (rate: number): boolean =>
    reached * rate <= busyMachine.deliveriesPerSecond &&
    !(isInPieces && publishers * rate * payloadBytes > webSocketBytesPerSecond) &&
    reached * rate * messageBits <= usableShareOfLimit * linkBits;
  return batch * (fillerMessageRates.find(fits) ?? fillerMessageRates.at(-1) ?? 1);
}

function makeRowWorkload(kind: WorkloadKind, levels: Row, slowness: number): Workload {
  const periodMs =
    levels.rate === 'max' ? 0 : (1000 * Number(levels.readingsPerMessage)) / Number(levels.rate);
  // The measure phase has at least one message, and one that is altered on purpose.
  const messages = Math.max(1.3, Number(levels.alterEvery ?? 0) + 1);
  const measureMs = slowness * Math.ceil(Math.max(slownessMs(kind, levels), messages * periodMs));
  const own: Partial<Workload> =
    kind === 'handshake' || kind === 'states'
      ? { connections: kind === 'states' ? 3 : 20, measureMs: 60_000 }
      : kind === 'availability'
        ? { abusers: 10, measureMs: 600 }
        : { measureMs };
  return makeWorkload({
    kind,
    warmUpMs: 400,
    drainTimeoutMs: 30_000,
    // Large enough that a briefly suspended publisher still sends everything that was due.
    window: levels.rate === 'max' ? 20 : 1000,
    burstOnMs: 100,
    burstOffMs: 50,
    ...own,
  });
}

/**
 * Maximum wait of messages of the measure phase: for a full socket buffer, for a segment that TCP repeats after 200 ms,
 * for a handshake, or for a message that CoAP repeats after 3 s at most (RFC 7252 section 4.8).
 */
function slownessMs(
  kind: WorkloadKind,
  { rate, loss, connectionUse, applicationProtocol, client, broker }: Row,
): number {
  // The window of the warm-up is sent first, by a slow client or through a slow broker.
  const isProgram = client !== undefined && client !== 'native';
  if (rate === 'max' && (isProgram || broker === 'embedded')) return 4000;
  if (Number(rate) >= 10_000) return 2000;
  const isLossy = Number(loss) > 0;
  // The kernel repeats a lost SYN after 1 s, which it can lose again, and every message waits for its connection.
  if (isLossy && (connectionUse === 'one per message' || kind === 'reconnect')) return 6000;
  if (isLossy && rate === 'max' && applicationProtocol !== 'mqtt') return 4000;
  return isLossy || rate === 'max' || kind === 'reconnect' || connectionUse !== 'kept' ? 1000 : 500;
}

function makeRules(
  testbed: TestbedCapabilities,
  limits: LoadLimits,
): Omit<CoveringArrayInput, 'goals' | 'isWanted'> {
  const view = makeTestbedView(testbed);
  return {
    bases: makeBases(view),
    findConflict: (a, b) => findConflict(a, b, view),
    easiest: {
      loss: 0,
      rateLimit: 'none',
      delay: 0,
      subscribers: 1,
      publishers: 1,
      rate: fillerRate,
      capture: 'none',
    },
    mayApply: (column, row) => findFactor(column)?.applies(row, row[kindColumn] as WorkloadKind) ?? true,
    check: (row) => checkRow(row, testbed, limits),
  };
}

function checkRow(row: Row, testbed: TestbedCapabilities, limits: LoadLimits): Outcome {
  const draft = makeRowDraft(row);
  const parsed = parsePlan(draft, testbed);
  if (!parsed.ok) return { levels: null, refusal: parsed.issues[0]?.reason ?? 'refused' };
  const [treatment] = parsed.plan.treatments;
  if (treatment === undefined) return { levels: null, refusal: 'no treatment' };
  const levels = { ...treatment.levels, [kindColumn]: draft.workload.kind, [everyRow.column]: 1 };
  return { levels, refusal: whyTooMuch(treatment.spec, limits) };
}

/** Refusals caused by two levels alone, with each of the brokers. */
function findConflict(
  a: { column: string; value: FactorValue },
  b: { column: string; value: FactorValue },
  view: TestbedView,
): string | null {
  return refusalOf(a, b, view) ?? refusalOf(b, a, view);
}

function refusalOf(
  { column, value }: { column: string; value: FactorValue },
  other: { column: string; value: FactorValue },
  view: TestbedView,
): string | null {
  const factor = findFactor(column);
  if (!factor) return null;
  if (other.column === kindColumn) {
    return factor.refuseWorkload?.(value, other.value as WorkloadKind)?.reason ?? null;
  }
  const levels = { [column]: value, [other.column]: other.value };
  const brokers = view.brokers.filter(({ kind }) => levels.broker === undefined || levels.broker === kind);
  const reasons = brokers.map(({ kind }) => factor.refuse(value, levels, withBroker(view, kind))?.reason);
  return reasons.length > 0 && reasons.every((reason) => reason !== undefined) ? (reasons[0] ?? null) : null;
}

/** Complete rows of all kinds in which every level has an effect at least once, in any combination. */
function makeBases(view: TestbedView): Row[] {
  const plainest: Row = {
    ...Object.fromEntries(factors.map((factor) => [factor.id, factor.defaultLevel(view)])),
    qos: 1,
    rate: fillerRate,
    security: 'plain',
    mqttVersion: '5.0',
    link: view.links[0]?.name ?? 'lo',
    [everyRow.column]: 1,
  };
  const secured: Row[] = [
    { security: 'plain' },
    { security: 'TLS 1.3', [suiteColumn]: 'TLS_AES_128_GCM_SHA256' },
    { security: 'TLS 1.2', [suiteColumn]: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
    { security: 'TLS 1.2', [suiteColumn]: 'ECDHE-RSA-AES128-GCM-SHA256', certificate: 'RSA 2048' },
    {
      security: 'TLS 1.2',
      [suiteColumn]: 'DHE-RSA-AES128-GCM-SHA256',
      certificate: 'RSA 2048',
      group: 'ffdhe2048',
    },
    {
      security: 'TLS 1.2',
      [suiteColumn]: 'DHE-RSA-AES128-GCM-SHA256',
      certificate: 'RSA 3072',
      group: 'ffdhe3072',
    },
    { security: 'TLS 1.2', [suiteColumn]: 'AES128-GCM-SHA256', certificate: 'RSA 2048' },
  ];
  const encrypted = { payloadCipher: 'aes-128-gcm' };
  const rich: Row[] = [
    {},
    { ...encrypted, capture: 'headers', loss: 0.5 },
    { ...encrypted, capture: 'headers', topology: 're-encrypting bridge' },
    { readingsPerMessage: 64, readingBytes: 20 },
    // It uses the TLS library of Node.js, which may offer more than Mosquitto's.
    { ...encrypted, capture: 'headers', broker: 'embedded', mqttVersion: '3.1.1' },
  ];
  const overMqtt = secured.flatMap((tls) =>
    workloadKinds.flatMap((kind) =>
      rich.map((more) => ({ ...plainest, ...tls, ...more, [kindColumn]: kind })),
    ),
  );
  const overCoap = workloadKinds.flatMap((kind) =>
    [{}, encrypted, { readingBytes: 10 }].map((more) => ({
      ...plainest,
      ...more,
      applicationProtocol: 'coap confirmable',
      [kindColumn]: kind,
    })),
  );
  return [...overMqtt, ...overCoap];
}

function suiteGoals(testbed: TestbedCapabilities): { single: Goal[]; classes: Goal[] } {
  const suites = offeredLevels(suiteColumn, makeTestbedView(testbed)).map(String);
  const classes = [...Map.groupBy(suites, handshakeOf), ...Map.groupBy(suites, modeOf)];
  return {
    single: suites.map((suite) => ({ column: suiteColumn, label: suite, values: [suite] })),
    classes: classes.map(([label, values]) => ({ column: suiteColumn, label, values })),
  };
}

function handshakeOf(suite: string): string {
  const { security, keyExchange, authentication } = describeSuite(suite);
  return security === 'TLS 1.3' ? 'TLS 1.3 suites' : `${security} suites, ${keyExchange}-${authentication}`;
}

function modeOf(suite: string): string {
  const { cipher } = describeSuite(suite);
  return `suites with ${/GCM|CCM|ChaCha20|CBC/.exec(cipher)?.[0] ?? cipher}`;
}

function otherGoals(testbed: TestbedCapabilities): Goal[] {
  const view = makeTestbedView(testbed);
  const levels = factors
    .filter(({ id }) => id !== suiteColumn)
    .flatMap(({ id }) => offeredLevels(id, view).map((value) => makeGoal(id, value)));
  return [...workloadKinds.map((kind) => makeGoal(kindColumn, kind)), ...levels].filter(
    // A column with a single level does not vary, but its level must run.
    ({ values }) => values.length > 0,
  );
}

const makeGoal = (column: string, value: FactorValue): Goal => ({
  column,
  label: `${column} ${value}`,
  values: [value],
});

/** Levels that at least one broker of the testbed offers. */
function offeredLevels(id: string, view: TestbedView): FactorValue[] {
  const factor = findFactor(id);
  const options = factor
    ? optionsOf(factor, { factors: { broker: view.brokers.map(({ kind }) => kind) } }, view)
    : [];
  const levels = options.filter(({ refusal }) => refusal === null).map(({ value }) => value);
  return id === 'link' ? [...new Set(['lo', ...levels])].slice(0, maxLinks) : levels;
}

/** Returns why a legal run would overload the machine or last too long; null if it would not. */
function whyTooMuch(spec: TrialSpec, limits: LoadLimits): string | null {
  if (!carriesMessages(spec.workload)) return null;
  const { publishers, readingsPerSecond, readingsPerMessage, client } = spec;
  // CoAP has no subscribers, but the server answers each message.
  const fanOut = Math.max(1, deliveriesOf(spec));
  const reached = fanOut * publishers;
  // "As fast as possible" depends on the machine, not on the number of publishers.
  const messages =
    readingsPerSecond === null
      ? limits.deliveriesPerSecond / 10
      : (publishers * readingsPerSecond) / readingsPerMessage;
  const deliveries = fanOut * messages;
  const limitMbit = spec.impairment.rateMbit;
  const isPoorLink = spec.impairment.lossPercent > 0 || limitMbit !== null;
  const isAtFullSpeed = readingsPerSecond === null;
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipherDefinition(spec.payloadCipher);
  const isCipherSlow = cipher?.implementation === 'mqttlab';
  const isHindered =
    fanOut > 1 ||
    isPoorLink ||
    isCipherSlow ||
    spec.qos === 2 ||
    spec.transport === 'websocket' ||
    spec.broker === 'embedded';
  const mostMessages = isHindered ? limits.hinderedMessagesPerSecond : limits.messagesPerSecond;
  if (messages > mostMessages) return 'too many messages per second';
  if (
    isAtFullSpeed &&
    (isHindered || capture.of(spec) !== 'none') &&
    publishers + spec.subscribers > maxAtFullSpeed
  )
    return 'more clients at full speed than the broker, the link or a capture follows';
  if (isAtFullSpeed && client !== 'native' && publishers > maxProgramsAtFullSpeed)
    return 'more programs at full speed than two cores serve';
  if (isAtFullSpeed && isPoorLink && client !== 'native')
    return 'a program whose input fills up before a poor link has carried it';
  if (deliveries > limits.deliveriesPerSecond) return 'too many deliveries per second';
  const hasSlowPath = isPoorLink || isCipherSlow || isBridged(spec);
  const bytesPerSecond = hasSlowPath ? busyMachine.bytesPerSecond : limits.bytesPerSecond;
  if (deliveries * payloadBytesOf(spec) > bytesPerSecond) return 'too many bytes per second';
  const isInPieces = spec.transport === 'websocket' && payloadBytesOf(spec) > webSocketPieceBytes;
  if (isInPieces && messages * payloadBytesOf(spec) > webSocketBytesPerSecond)
    return 'more bytes than Mosquitto writes to a WebSocket per second';
  const setUp = setUpOf(spec.security);
  const connectionBytes = reconnects(spec) ? messages * setUp.bytes : 0;
  const linkBits = (deliveries * (payloadBytesOf(spec) + headerBytes) + connectionBytes) * 8;
  if (limitMbit !== null && linkBits > limitMbit * 1e6 * usableShareOfLimit)
    return 'more than the limited link carries';
  if (reconnects(spec) && messages > limits.connectionsPerSecond) return 'too many connections per second';
  const processes = isPoorLink ? busyMachine.processes : limits.processes;
  if (client !== 'native' && reached > processes) return 'too many client processes';
  const connections = publishers + spec.subscribers;
  if (spec.transport === 'websocket' && spec.security !== 'plain' && connections > maxSecureWebSockets)
    return 'more connections than become a WebSocket in time under TLS';
  if (limitMbit !== null && connections * setUp.bytes * 8 > limitMbit * 1e6 * maxSetUpSeconds)
    return 'more connections than the limited link opens in time';
  // A rate-limited link loses more packets.
  const segments = setUp.segments * (limitMbit === null ? 1 : 4) * (spec.transport === 'websocket' ? 4 : 1);
  if ((connections * segments * spec.impairment.lossPercent) / 100 > limits.lostSegments)
    return 'more connections than open in time over a link that loses so much';
  const late = connections * (spec.impairment.lossPercent / 100) ** packetsLostInRow;
  const keepAliveSeconds = keepAlive.of(spec);
  if (keepAliveSeconds > 0 && keepAliveSeconds <= shortKeepAlive && late > mostLate)
    return 'more connections than stay in time for a short keep alive over a link that loses so much';
  return spec.measureMs > maxMeasureMs ? `a run of more than ${maxMeasureMs / 1000} s` : null;
}
