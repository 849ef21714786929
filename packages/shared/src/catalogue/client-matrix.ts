import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { Levels } from '../domain/factor.ts';
import { type ExperimentDraft, planSchemaVersion } from '../domain/plans/experiment-draft.ts';
import {
  type AgentClient,
  agentClients,
  type MqttVersion,
  mqttVersions,
  type Security,
  securityLevels,
  transports,
} from '../domain/plans/trial-spec.ts';
import { workloadDefaults } from '../domain/plans/workload.ts';
import type { ExperimentDetail } from '../domain/runs/experiment.ts';
import { countingAttempt, type RunRow } from '../domain/runs/run.ts';
import { isFinished } from '../domain/runs/statuses.ts';
import { describeSuite } from './ciphers/suites.ts';

/** Tag of the experiments that test the clients. */
export const clientMatrixTag = 'client matrix';

/** One suite for each difference that is relevant to a client; all of them work with an RSA certificate. */
const suitesTried = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'AES256-GCM-SHA384',
];

/**
 * Tests every client with every security level, suite group, MQTT version and transport, with a few messages
 * per combination.
 */
export function makeClientMatrixDraft(view: TestbedView): ExperimentDraft {
  return {
    schemaVersion: planSchemaVersion,
    name: 'What each client can do',
    question: `Which client works with which TLS version, suite group, MQTT version and transport? ${describeClients(view)}`,
    tags: [clientMatrixTag],
    notes: '',
    testbedId: view.testbedId,
    factors: {
      client: [...agentClients],
      security: [...securityLevels],
      cipherSuite: suitesTried,
      certificate: ['RSA 2048'],
      mqttVersion: [...mqttVersions],
      transport: [...transports],
      qos: [1],
      rate: [50],
      readingBytes: [100],
    },
    workload: {
      kind: 'stream',
      warmUpMs: 0,
      measureMs: 200,
      drainTimeoutMs: 3_000,
      window: 100,
      ...workloadDefaults,
    },
    sampleHz: 1,
    repetitions: 1,
    order: 'as listed',
    seed: 1,
    response: 'latency.p50',
    stopping: null,
    // Retries failed runs, because occasional delays on a busy machine are not the client's fault.
    retries: 2,
  };
}

/**
 * Describes hosts and versions, which are stored in the plan: "pc: mqtt.js 5.15.0, ...; broker mosquitto
 * 2.0.11 (OpenSSL 3.0)."
 */
function describeClients({ clientDevices, broker }: TestbedView): string {
  const devices = new Map(
    clientDevices.map(({ hostname, agentVersion, tls, clients }) => {
      const versions = clients.map(({ engine, version, tls: clientTls }) =>
        engine === 'native'
          ? `native ${agentVersion} (${tls.library})`
          : `${engine} ${version}${clientTls ? ` (${clientTls.library})` : ''}`,
      );
      return [hostname, versions.join(', ')];
    }),
  );
  const clients = [...devices].map(([hostname, versions]) => `${hostname}: ${versions}`);
  return `${[...clients, `broker ${broker?.kind} ${broker?.version} (${broker?.tls.library})`].join('; ')}.`;
}

export type ClientMatrixOutcome = 'works' | 'fails' | 'impossible' | 'not tried';

export interface ClientMatrixCell {
  client: AgentClient;
  security: Security;
  suite: string | null;
  /** For example "ECDHE, AES-256-GCM". */
  suiteGroup: string;
  mqttVersion: MqttVersion;
  transport: (typeof transports)[number];
  outcome: ClientMatrixOutcome;
  /** null if the combination works. */
  reason: string | null;
  runId: number | null;
}

/** Returns every combination with its outcome, ordered by client. */
export function readClientMatrix(
  experiment: Pick<ExperimentDetail, 'plan' | 'runs' | 'status'>,
): ClientMatrixCell[] {
  const { plan, runs, status } = experiment;
  if (plan === null) return [];
  const byTreatment = Map.groupBy(runs, ({ treatmentKey }) => treatmentKey);
  const isOver = isFinished(status);
  const tried = plan.treatments.map(({ key, levels }) =>
    cellOf(levels, judge(countingAttempt(byTreatment.get(key) ?? []), isOver)),
  );
  const refused = plan.excluded.map(({ levels, reasons }) =>
    cellOf(levels, {
      outcome: 'impossible',
      reason: reasons.map(({ reason }) => reason).join('; '),
      runId: null,
    }),
  );
  const rank = ({ client, security, suite }: ClientMatrixCell): number =>
    agentClients.indexOf(client) * 1000 +
    securityLevels.indexOf(security) * 100 +
    suitesTried.indexOf(suite ?? '');
  return (
    [...tried, ...refused]
      // A suite for another TLS version is not a valid combination.
      .filter(({ suite, security }) => suite === null || describeSuite(suite).security === security)
      .sort((a, b) => rank(a) - rank(b))
  );
}

/** Codes of failures between a client and the broker; other failures are unrelated to the client. */
const ofTheClient = new Set([
  'connection-refused',
  'tls-handshake',
  'websocket-upgrade',
  'connack-refused',
  'suback-refused',
  'negotiation-mismatch',
  'packet-too-large',
  'connection-lost',
  'timeout',
]);

type Judged = Pick<ClientMatrixCell, 'outcome' | 'reason' | 'runId'>;

function judge(run: RunRow | undefined, isOver: boolean): Judged {
  if (run === undefined || !['done', 'failed', 'interrupted'].includes(run.status)) {
    return {
      outcome: 'not tried',
      reason: isOver ? 'the experiment ended before this combination' : 'not tried yet',
      runId: null,
    };
  }
  const { id: runId, failure, metrics } = run;
  if (failure !== null && !ofTheClient.has(failure.code)) {
    return { outcome: 'not tried', reason: `the run failed: ${failure.message}`, runId };
  }
  const wrong = run.verdicts.find(({ id, status }) => id === 'negotiated-as-asked' && status === 'failed');
  const reason =
    failure?.message ?? wrong?.evidence ?? (metrics['count.received'] ? null : 'no message arrived');
  return { outcome: reason === null ? 'works' : 'fails', reason, runId };
}

function cellOf(levels: Levels, judged: Judged): ClientMatrixCell {
  const suite = typeof levels.cipherSuite === 'string' ? levels.cipherSuite : null;
  return {
    client: levels.client as AgentClient,
    security: levels.security as Security,
    suite,
    suiteGroup: suite === null ? 'no TLS' : groupOf(suite),
    mqttVersion: levels.mqttVersion as MqttVersion,
    transport: levels.transport as ClientMatrixCell['transport'],
    ...judged,
  };
}

function groupOf(suite: string): string {
  const { keyExchange, cipher } = describeSuite(suite);
  return keyExchange === 'by group' ? cipher : `${keyExchange}, ${cipher}`;
}

/** Summarises the outcomes: "96 combinations work, 3 fail, 27 are impossible, 12 are not tried". */
export function countClientMatrix(cells: readonly ClientMatrixCell[]): string {
  const count = (outcome: ClientMatrixOutcome) => cells.filter((cell) => cell.outcome === outcome).length;
  const [works, fails, impossible, left] = (['works', 'fails', 'impossible', 'not tried'] as const).map(
    count,
  );
  const many = (number = 0, singular: string, plural: string) =>
    `${number} ${number === 1 ? singular : plural}`;
  return [
    many(works, 'combination works', 'combinations work'),
    many(fails, 'fails', 'fail'),
    many(impossible, 'is impossible', 'are impossible'),
    ...(left ? [many(left, 'is not tried', 'are not tried')] : []),
  ].join(', ');
}

/** Returns each reason why combinations do not work, with the combinations that it affects. */
export function reasonsOf(
  cells: readonly ClientMatrixCell[],
): { reason: string; outcome: ClientMatrixOutcome; cells: ClientMatrixCell[] }[] {
  const withReason = cells.filter(
    ({ outcome, runId }) =>
      outcome === 'fails' || outcome === 'impossible' || (outcome === 'not tried' && runId !== null),
  );
  const grouped = Map.groupBy(
    withReason,
    ({ client, outcome, reason }) => `${client}: ${outcome}: ${reason}`,
  );
  return [...grouped.values()].flatMap((alike) =>
    alike[0] ? [{ reason: alike[0].reason ?? '', outcome: alike[0].outcome, cells: alike }] : [],
  );
}
