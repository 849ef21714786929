import { isBrokerRole } from '../../domain/devices/device.ts';
import type { CapturedConnection, RunCapture } from '../../domain/runs/capture.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { formatCount } from '../../format/number.ts';
import { nameOf, numberIn } from '../evidence/evidence.ts';
import { inWords } from '../workloads.ts';

/** Maximum relative difference between recorded and captured bytes. */
const tolerance = 0.01;
/** The kernel counts a received FIN as an additional byte. */
const finBytes = 1;

/** Compares each client's record with the capture at its broker. */
export const captureAgrees: VerdictDefinition = {
  id: 'capture-agrees',
  label: 'Capture matches the record',
  fault: 'Capture differs from the record',
  remedy: 'Open the run’s capture in Wireshark to see which of the two is correct, then run again.',
  judge: (evidence) => {
    const captures = evidence.results.flatMap(({ capture }) => capture ?? []);
    const why = whyNot(evidence, captures);
    if (why !== null) return { status: 'not applicable', evidence: why };
    const findings = evidence.results
      .filter(({ role, localPorts }) => role !== 'bridge' && !isBrokerRole(role) && localPorts.length > 0)
      .flatMap((client) => compare(evidence, client, captures));
    const wrong = findings.filter(({ agrees }) => !agrees);
    const byClient = Map.groupBy(wrong.length > 0 ? wrong : findings, ({ client }) => client);
    const text = [...byClient]
      .map(([client, rows]) => `${client}: ${rows.map(({ words }) => words).join(', ')}`)
      .join('; ');
    if (findings.length === 0)
      return { status: 'not applicable', evidence: 'no client reported its connections' };
    return { status: wrong.length > 0 ? 'failed' : 'passed', evidence: text };
  },
};

function whyNot({ spec }: RunEvidence, captures: readonly RunCapture[]): string | null {
  if (captures.length === 0) return 'no packets were captured';
  if (spec.workload !== 'stream' && spec.workload !== 'burst') {
    return `${inWords(spec.workload)} does not record its connections individually`;
  }
  const incomplete = captures.find(({ cut, lostPackets }) => cut !== null || (lostPackets ?? 0) > 0);
  if (incomplete === undefined) return null;
  return incomplete.cut ?? `the capture lost ${formatCount(incomplete.lostPackets ?? 0)} packets`;
}

interface Finding {
  agrees: boolean;
  words: string;
}

function compare(
  evidence: RunEvidence,
  client: RoleResult,
  captures: readonly RunCapture[],
): (Finding & { client: string })[] {
  const all = captures.flatMap(({ connections }) => connections);
  const ports = client.localPorts;
  const captured = ports.flatMap((port) => all.findLast(({ clientPort }) => clientPort === port) ?? []);
  const name = nameOf(client);
  if (captured.length < ports.length) {
    const words = `${captured.length} of its ${ports.length} connections are in the capture`;
    return [{ client: name, agrees: captures.some(({ moreConnections }) => moreConnections > 0), words }];
  }
  return [
    ...compareSuites(client, captured),
    ...compareBytes(client, captured),
    ...compareMessages(evidence, client, captured),
  ].map((finding) => ({ client: name, ...finding }));
}

function compareSuites({ negotiated }: RoleResult, captured: readonly CapturedConnection[]): Finding[] {
  if (!negotiated) return [];
  const seen = [...new Set(captured.map(({ suite }) => suite))];
  const agrees = seen.every((suite) => suite === negotiated.cipherSuite);
  const recorded = negotiated.cipherSuite ?? 'plain';
  const words = seen.map((suite) => suite ?? 'no ServerHello').join(', ');
  return [{ agrees, words: agrees ? `${recorded} in both` : `${recorded} recorded, ${words} captured` }];
}

function compareBytes(
  { phases, environment }: RoleResult,
  connections: readonly CapturedConnection[],
): Finding[] {
  return (['bytesSent', 'bytesReceived'] as const).flatMap((direction) => {
    const ofPhases = phases.map((phase) => phase[direction]);
    // Clients in a separate process do not report the set-up phase.
    const recorded =
      numberIn(environment[`connections.${direction}`]) ??
      (ofPhases.includes(null) ? null : ofPhases.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0));
    if (recorded === null) return [];
    const captured = connections.reduce((sum, connection) => sum + connection[direction], 0);
    const fins = direction === 'bytesReceived' ? finBytes * connections.length : 0;
    const most = Math.max(tolerance * captured, fins);
    const verb = direction === 'bytesSent' ? 'sent' : 'received';
    const words = `${formatCount(recorded)} B ${verb} recorded, ${formatCount(captured)} B captured`;
    return [{ agrees: Math.abs(recorded - captured) <= most, words }];
  });
}

/** Compares message counts exactly; used only for binary payloads that are neither encrypted nor altered. */
function compareMessages(
  { spec }: RunEvidence,
  { role, counters }: RoleResult,
  connections: readonly CapturedConnection[],
): Finding[] {
  const isReadable =
    spec.payloadCipher === null && spec.payloadEncoding === 'binary' && spec.alterEvery === 0;
  if (!counters || !isReadable) return [];
  const key = role === 'publisher' ? 'messagesSent' : 'messagesReceived';
  const counts = connections.map((connection) => connection[key]);
  if (counts.includes(null)) return [];
  const captured = counts.reduce<number>((sum, messages) => sum + (messages ?? 0), 0);
  const recorded = role === 'publisher' ? counters.sent : counters.received + counters.duplicate;
  const words = `${formatCount(recorded)} messages recorded, ${formatCount(captured)} captured`;
  return [{ agrees: recorded === captured, words }];
}
