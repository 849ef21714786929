import { carriedBytesOf, lacksTag } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { countOf, resultOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { carriesMessages, reconnects } from '@mqttlab/shared/catalogue/workloads';
import { isBridged, isBrokerRole, legSpecOf } from '@mqttlab/shared/domain/devices/device';
import {
  deliveriesOf,
  isCoap,
  payloadBytesOf,
  stampBytes,
  type TrialSpec,
  textStampBytes,
} from '@mqttlab/shared/domain/plans/trial-spec';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { CoveringRow } from '@mqttlab/shared/testing/covering-array';
import { expect } from 'vitest';
import { makeRowDraft } from './matrix-plan.ts';
import { addExperiment, eventually, type Life } from './rig.ts';

const timeoutMs = 240_000;
/** Verdicts that do not depend on the speed of the machine. */
const soundVerdicts = [
  'negotiated-as-asked',
  'nothing-lost',
  'payloads-authentic',
  'broker-stayed-up',
  'link-used',
  'impairment-applied',
];

/** Executes all rows, one after the other. Returns the faults, each with its row. */
export async function playRows(life: Life, rows: Iterable<CoveringRow>, slowness = 1): Promise<string[]> {
  const faults: string[] = [];
  for (const row of rows) {
    try {
      expectSound(await playRow(life, row, slowness), row);
    } catch (error) {
      faults.push(`${row.achieved.join(', ')}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return faults;
}

/** Executes a row as a separate experiment; throws unless its last run was completed. */
async function playRow(life: Life, { row }: CoveringRow, slowness: number): Promise<RunDetail> {
  const { id } = addExperiment(life, makeRowDraft(row, slowness));
  await life.scheduler.act(id, 'start');
  await eventually(
    `the end of experiment ${id}`,
    () => life.experiments.findExperiment(id)?.status === 'done',
    timeoutMs,
  );
  const run = life.runs.listRuns(id).at(-1);
  if (run === undefined) throw new Error('there is no run');
  if (run.failure !== null) throw new Error(`the run failed: ${run.failure.code}: ${run.failure.message}`);
  const detail = life.runs.findRunDetail(run.id);
  if (detail?.status !== 'done') throw new Error(`the run is ${detail?.status}`);
  return detail;
}

/** CoAP abandons a request after four retransmissions (RFC 7252, section 4.8); TCP continues. */
const mayLose = (spec: TrialSpec): boolean => isCoap(spec) && spec.impairment.lossPercent > 0;

/** True if messages should have been altered, but a slow machine sent too few of them. */
function sentTooFewToAlter({ treatment: { spec }, results }: RunDetail): boolean {
  return spec.alterEvery > 0 && (countOf({ spec, results }, 'publisher', 'sent') ?? 0) <= spec.alterEvery;
}

/** A bridge that does not detect altered messages re-encrypts them, so their stamps match no message. */
const hidesAlterations = (spec: TrialSpec): boolean =>
  isBridged(spec) && spec.alterEvery > 0 && lacksTag(spec);
const isNotOfMessages = ({ collector }: { collector: string }): boolean => collector !== 'messages';

/**
 * Asserts the properties of every run at any machine speed: levels and negotiated parameters as planned, nothing lost,
 * altered or repeated, and the metrics of its workload present.
 */
function expectSound(detail: RunDetail, { levels }: CoveringRow): void {
  const { spec } = detail.treatment;
  for (const [factor, level] of Object.entries(detail.treatment.levels))
    expect(level, factor).toBe(levels[factor]);
  for (const { id, status, evidence } of detail.verdicts) {
    if (id === 'nothing-lost' && mayLose(spec)) continue;
    if (id === 'payloads-authentic' && sentTooFewToAlter(detail)) continue;
    if (soundVerdicts.includes(id)) expect(status, `${id}: ${evidence}`).not.toBe('failed');
  }
  for (const { role, degraded } of detail.results) {
    const unexpected = hidesAlterations(spec) ? degraded.filter(isNotOfMessages) : degraded;
    expect(unexpected, `${role} degraded`).toEqual([]);
  }
  if (!isCoap(spec)) expectNegotiated(detail);
  if (carriesMessages(spec.workload)) expectDelivered(detail);
  for (const metric of metricsOf(spec)) {
    expect(detail.metrics[metric], metric).toBeGreaterThan(0);
  }
  if (spec.workload === 'handshake') {
    const publisher = detail.results.find(({ role }) => role === 'publisher');
    expect(publisher?.environment['workload.ended']).toBe(`all ${spec.connections} connections were made`);
  }
}

/** Compares the parameters each client read from its connection with the levels of its leg, one at a time. */
function expectNegotiated({ treatment, results }: RunDetail): void {
  const clients = results.filter(({ role }) => !isBrokerRole(role));
  expect(clients.length).toBeGreaterThanOrEqual(2);
  for (const { role, negotiated, upstream } of clients) {
    if (negotiated === null) throw new Error(`the ${role} reports no connection`);
    const leg = legSpecOf(treatment.spec, role);
    expect(parametersOf(negotiated), role).toMatchObject(askedOf(leg, negotiated));
    if (upstream)
      expect(parametersOf(upstream), `${role} upstream`).toMatchObject(askedOf(treatment.spec, upstream));
  }
}

const parametersOf = ({ protocol, cipherSuite, group, certificate, mqttVersion, resumed }: Negotiated) => ({
  protocol,
  cipherSuite,
  group,
  certificate,
  mqttVersion,
  resumed,
});

/** Without parameters that were not requested, or that this client cannot read from its connection. */
function askedOf(spec: TrialSpec, got: Negotiated): Partial<ReturnType<typeof parametersOf>> {
  const { mqttVersion, cipherSuite, group, certificate } = spec;
  if (spec.security === 'plain') return { mqttVersion, protocol: null, cipherSuite: null };
  return {
    mqttVersion,
    cipherSuite,
    protocol: spec.security.replace('TLS ', 'TLSv'),
    ...(group === null || got.group === null ? {} : { group }),
    ...(certificate === null || got.certificate === null ? {} : { certificate }),
    ...(got.resumed === null ? {} : { resumed: spec.session === 'resumed' }),
  };
}

/** Counts messages and bytes on both sides, independently of verdicts. */
function expectDelivered(detail: RunDetail): void {
  const { spec } = detail.treatment;
  const evidence = { spec, results: detail.results };
  const count = (role: 'publisher' | 'subscriber', counter: Parameters<typeof countOf>[2]): number =>
    countOf(evidence, role, counter) ?? 0;
  const sent = count('publisher', 'sent');
  const altered = count('publisher', 'altered');
  expect(sent, 'sent').toBeGreaterThan(0);
  if (isCoap(spec)) {
    if (spec.applicationProtocol === 'coap confirmable' && !mayLose(spec)) {
      expect(count('publisher', 'acknowledged'), 'acknowledged').toBe(sent);
    }
    return;
  }
  const received = count('subscriber', 'received');
  const rejects = spec.alterEvery > 0 && spec.payloadCipher !== null;
  expect(received, 'received').toBeGreaterThan(0);
  if (spec.qos > 0 && !rejects) {
    expect(received, 'received').toBe(sent * deliveriesOf(spec));
  }
  if (spec.qos === 2) expect(count('subscriber', 'duplicate'), 'twice').toBe(0);
  if (spec.alterEvery > 0 && !sentTooFewToAlter(detail)) expect(altered, 'altered').toBeGreaterThan(0);
  if (spec.client !== 'native') return;
  const plainBytes = payloadBytesOf(spec);
  expect(count('publisher', 'payloadBytesSent'), 'bytes sent').toBe(sent * plainBytes);
  expect(count('subscriber', 'payloadBytesReceived'), 'bytes received').toBe(received * plainBytes);
  if (spec.payloadCipher === null) return;
  expect(count('publisher', 'carriedBytesSent'), 'encrypted bytes').toBe(sent * carriedBytesOf(spec));
  expect(resultOf(evidence, 'publisher')?.histograms.encryption?.count, 'timed encryptions').toBeGreaterThan(
    0,
  );
  expect(resultOf(evidence, 'subscriber')?.histograms.decryption?.count, 'timed decryptions').toBeGreaterThan(
    0,
  );
}

/** Metrics of a run with so few messages. */
function metricsOf(spec: TrialSpec): string[] {
  switch (spec.workload) {
    case 'handshake':
      return ['rate.connections', 'count.connectionsOpened'];
    case 'states':
      return ['CON', 'SUB', 'PUB', 'DISC'].map((state) => `state.${state}.bytes`);
    case 'availability':
      return ['availability.reached'];
    default:
      break;
  }
  if (isCoap(spec)) return ['count.sent', 'exchange.mean'];
  const stamp = spec.client === 'native' ? stampBytes : textStampBytes;
  return [
    'count.received',
    // Messages of the measure phase may all arrive after its end: from full queues, or after TCP has repeated a segment.
    ...(spec.readingsPerSecond === null || spec.impairment.lossPercent > 0 ? [] : ['rate.messages']),
    ...(payloadBytesOf(spec) >= stamp && !isBridged(spec) ? ['latency.mean'] : []),
    ...(reconnects(spec) ? ['count.connectionsOpened'] : []),
  ];
}
