import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { ClientMatrixCell } from '@mqttlab/shared/catalogue/client-matrix';
import { capturedRows } from '@mqttlab/shared/catalogue/evidence/capture-evidence';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { agentClients, mqttVersions, transports } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { makeCapture } from '@mqttlab/shared/testing/captures';
import { makeReportInput } from '@mqttlab/shared/testing/report-input';
import type { StudyInput } from '../page/input.ts';
import { makeStabilityReport } from './stability-report.ts';
import { makeStudyInput } from './study-input.ts';
import { makeWideTestbed } from './testbeds.ts';

type Treatment = ComparedTreatment['treatment'];
type Metrics = Record<string, number | null>;
type Measuring = (treatment: Treatment, block: number) => Metrics;

/** Simulated results: as claimed by a study, the opposite, or pure noise. */
export const worlds = ['as claimed', 'opposite', 'noise'] as const;
export type World = (typeof worlds)[number];

const testbed = makeWideTestbed();

/** Small variation per run, the same in every metric. */
function own({ key }: Treatment, block: number): number {
  const number = [...key].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 97, 7);
  return 1 + ((number + block * 3) % 5) / 1000 + block / 5000;
}

/** Random values for every metric, by factors of up to four. */
const noise: Measuring = ({ key, levels }, block) => {
  let state = [...key].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973, block);
  const random = () => {
    state = (state * 4093 + 12_345) % 65_521;
    return state / 65_521;
  };
  for (let count = 0; count < 20; count += 1) random();
  const draw = (quantity: string) => (quantity === 'proportion' ? random() : 100 * 4 ** (2 * random() - 1));
  return Object.fromEntries(
    metrics.map(({ id, quantity }) => [
      id,
      // Bytes of states are exact and depend on a few factors only.
      id.startsWith('state.') ? (levels.security === 'plain' ? 200 : 2000) : draw(quantity),
    ]),
  );
};

const isPlain = ({ levels }: Treatment) => levels.security === 'plain';

const measuring: Readonly<Record<string, (isClaimed: boolean) => Measuring>> = {
  'v2x-tls': (isClaimed) => (treatment, block) => {
    const { levels } = treatment;
    const readings = Number(levels.readingsPerMessage ?? 1);
    const tls = isPlain(treatment) || !isClaimed ? 1 : 1.5;
    const batch = readings === 1 ? 1 : isClaimed ? 0.5 : 2;
    const isChacha = String(levels.cipherSuite).includes('CHACHA');
    // Below the TLS overhead named in a claim, so that both claims can differ.
    const chacha = isChacha ? (isClaimed ? 0.5 : 1.03) : 1;
    const wobble = own(treatment, block);
    const perMessage = (value: number) => value * tls * batch * chacha * readings * wobble;
    const load = chacha * tls * wobble * (isClaimed ? 10 : 110);
    return {
      ...Object.fromEntries(
        ['broker', 'publisher', 'subscriber'].flatMap((role) => [
          [`cpu.${role}`, load],
          [`memory.${role}.mean`, 20 * tls * wobble],
          [`cpuPerMessage.${role}`, perMessage(50)],
        ]),
      ),
      'setUp.total': 5 * tls * wobble,
      'setUp.tls': 2 * tls * wobble,
      'energy.publisher': chacha * tls * wobble,
      'energy.total': 3 * chacha * tls * wobble,
      'energyPerMessage.total': perMessage(1),
      'wire.perMessage': Math.round(tls * batch * 100 * readings),
      'latency.mean': batch * chacha * wobble,
      'readingAge.mean': 2 * wobble,
      'rate.goodput': 8000 / chacha,
      'rate.readings': 1000 / chacha / wobble,
      'count.lost': isClaimed ? 0 : 2,
    };
  },
  'rpi-broker': (isClaimed) => (treatment, block) => {
    const { levels } = treatment;
    const wobble = own(treatment, block);
    const subscribers = Number(levels.subscribers ?? 1);
    const isMqtt = levels.applicationProtocol === 'mqtt';
    const loss = Number(levels.loss ?? 0);
    const slow = isMqtt && loss > 0 ? (loss > 2 ? 20 : 10) : 1;
    const qos = Number(levels.qos ?? 0) === 0 ? 1.2 : 1;
    const others = isClaimed || isMqtt ? 1 : 1 + loss;
    // According to the published line, 156 subscribers exhaust four cores.
    const load = isClaimed ? 193.64 + 1.32 * subscribers : 50 + 0.2 * subscribers ** 2;
    const tls = isPlain(treatment) === isClaimed ? 0.5 : 1;
    return {
      'cpu.broker': load * tls * (isClaimed ? qos / 1.2 : 1.2 / qos) * wobble,
      'memory.broker.mean': 10 * (isClaimed ? 1 : 1 + subscribers / 50) * wobble,
      'state.CON.frameBytes': isPlain(treatment) ? 194 : isClaimed ? 3382 : 900,
      'state.CON.frames': 7,
      'state.CON.bytes': isPlain(treatment) ? 24 : 400,
      'exchange.p50': 10 * slow * others * wobble,
      'exchange.p25': 5 * wobble,
      'exchange.p75': 13 * (isClaimed ? slow : 1) * wobble,
      'exchange.mean': 11 * wobble,
      'exchange.throughput': (6 / (isClaimed ? slow : 1) / others) * wobble,
      'availability.reached': isClaimed ? 100 : 40 + block,
      'availability.held': 1000,
      'availability.memoryGrowth': (isClaimed ? 5 : -5) * wobble,
    };
  },
  hecs4mqtt: (isClaimed) => (treatment, block) => {
    const cipher = String(treatment.levels.payloadCipher);
    const isSalsa = cipher.startsWith('salsa');
    const rank = isSalsa || cipher.startsWith('aes-128-ctr') ? 0.4 : cipher.endsWith('eax') ? 4 : 1;
    const isLayered = treatment.levels.topology === 're-encrypting bridge';
    const of = (value: number) => (isClaimed ? value : 1 / value) * own(treatment, block);
    const layer = isLayered ? 0.5 : 1;
    return {
      'cpuPerMessage.publisher': 100 * of((isSalsa ? 0.3 : rank) * layer),
      'energyPerMessage.total': 10 * of(layer),
      'encryption.mean': 10 * of(rank),
      'perf.cycles.publisher': 1e6 * of(isSalsa ? 0.3 : rank),
      'latency.max': isClaimed ? 40 + block : 900 + block,
      'randomness.apEn.p': isClaimed ? 0.4 / block : 0.001,
      'count.sent': 100,
      'count.altered': 20,
      'bridge.rejected': isClaimed ? 20 : 20 - block,
      'count.received': 80,
    };
  },
  'cipher-suites': (isClaimed) => (treatment, block) => {
    const { cipherSuite, link, mqttVersion, security } = treatment.levels;
    const wobble = own(treatment, block);
    const suite = String(cipherSuite);
    const [best, worst] = [
      { ethernet: 'ECDHE-RSA-CHACHA20-POLY1305', wifi: 'AES256-GCM-SHA384' }[String(link)],
      { ethernet: 'ECDHE-ECDSA-AES256-SHA', wifi: 'DHE-RSA-CHACHA20-POLY1305' }[String(link)],
    ];
    const isNew = mqttVersion === '5.0';
    const rank =
      suite === 'AES128-SHA' ? (isNew ? 3 : 0.7) : isNew ? 1 : suite === best ? 2 : suite === worst ? 0.5 : 1;
    const version = !isClaimed && isNew && security === 'TLS 1.3' ? 2 : 1;
    const of = (value: number) => (isClaimed ? value : 1 / value) * wobble;
    const width = suite === 'ECDHE-RSA-CHACHA20-POLY1305' ? 3 : 1;
    return {
      'setUp.tls': 10 * of(security === 'TLS 1.3' ? 0.5 : 1),
      'rate.messages': 1000 * of(rank) * version,
      'latency.mean': 5 * of(/AES(128|256)-SHA$/.test(suite) ? 2 : 1),
      'latency.p25': 2,
      'latency.p75': 2 + 3 * of(width),
    };
  },
  'stability-aware': (isClaimed) => (treatment, block) => {
    const isHybrid = treatment.levels.payloadCipher !== 'none';
    const cost = isPlain(treatment) ? (isHybrid ? 1.083 : 1) : 1.182;
    // Effects over runs are large, with little variation between runs.
    const of = (value: number) =>
      (isClaimed ? value : 1 / value) *
      (1 + block / 2000) *
      own(treatment, 1) *
      (isClaimed ? 1 : 1 + (block % 3) / 200);
    const late = of(isPlain(treatment) ? (isHybrid ? 2 : 1) : 4);
    return {
      'energy.publisher': 30 * of(cost),
      'energy.subscriber': (isClaimed ? 20 : 900 * (1 + (block % 3) / 2)) * of(cost),
      'power.publisher': 0.5 * of(cost),
      'latency.mean': 20 * late,
      'latency.p25': 15 * late,
      'latency.p75': 25 * late * of(1),
    };
  },
};

const stability: Record<World, () => Report> = {
  // The ranking survives TLS × 0.8 only if TLS needs far more than the others.
  'as claimed': () =>
    makeStabilityReport('bench', 320, {
      testbed,
      levels: [78.4, 84.9, 86, 150, 93, 95],
      spike: { tls: 3, others: 1 },
      memory: 0.7,
      noise: 0.3,
    }),
  opposite: () =>
    makeStabilityReport('bench', 320, {
      testbed,
      levels: [92.7, 84.9, 86, 78.4, 93, 95],
      spike: { tls: 0.5, others: 1 },
      memory: 0,
      noise: 0.01,
    }),
  noise: () => makeStabilityReport('bench', 320, { testbed, levels: [80, 80, 80, 80, 80, 80], noise: 60 }),
};
const known = new Map<World, Report>();

function stabilityOf(world: World): Report {
  const report = known.get(world) ?? stability[world]();
  known.set(world, report);
  return report;
}

/** Metric values of a study's runs in a world. */
export function measureIn(study: string, world: World): Measuring {
  return world === 'noise' ? noise : (measuring[study]?.(world === 'as claimed') ?? noise);
}

/** Runs of a part in a world, at bench scale unless the part needs the published load. */
export function inputOf(
  study: string,
  partId: string,
  world: World,
  change: Parameters<typeof makeStudyInput>[2] = {},
): StudyInput {
  const measure = measureIn(study, world);
  const input = makeStudyInput({ studyId: study, partId }, measure, { scale: 'bench', testbed, ...change });
  if (study === 'stability-aware') return { ...input, report: stabilityOf(world) };
  const { treatments } = input;
  if (!treatments.some(({ treatment }) => treatment.levels.capture === 'full')) return input;
  return {
    ...input,
    report: { ...makeReport(makeReportInput(() => ({}))), captured: captures(input, world) },
  };
}

/** Captured content: payloads of plain MQTT, or none. */
function captures({ treatments }: StudyInput, world: World) {
  const readable = { topics: ['plant/1'], payloadBytes: 6400, payloadSample: 'a1b2', serverNames: [] };
  return capturedRows(
    treatments.map(({ treatment }) => ({
      treatmentKey: treatment.key,
      role: 'broker',
      device: '',
      share: { index: 0, of: 1 },
      capture: makeCapture(isPlain(treatment) && world === 'as claimed' ? readable : {}),
    })),
    treatments.map(({ treatment }) => treatment),
  );
}

/** Client matrix: each client supports the claimed features, or the opposite. */
export function makeClients(world: Exclude<World, 'noise'>): ClientMatrixCell[] {
  const suites = [
    ['TLS 1.2', 'AES256-GCM-SHA384'],
    ['TLS 1.3', 'TLS_AES_256_GCM_SHA384'],
    ['TLS 1.3', 'TLS_CHACHA20_POLY1305_SHA256'],
  ] as const;
  return agentClients.flatMap((client) =>
    suites.flatMap(([security, suite]) =>
      mqttVersions.flatMap((mqttVersion) =>
        transports.map((transport): ClientMatrixCell => {
          const isMosquitto = client === 'mosquitto clients';
          const isRefused = isMosquitto && (transport === 'websocket' || suite.includes('CHACHA20'));
          const isImpossible = isMosquitto && transport === 'websocket';
          const works = (world === 'as claimed') !== isRefused;
          return {
            client,
            security,
            suite,
            suiteGroup: '',
            mqttVersion,
            transport,
            outcome: works ? 'works' : isImpossible ? 'impossible' : 'fails',
            reason: works ? null : 'mosquitto clients cannot use WebSocket',
            runId: 1,
          };
        }),
      ),
    ),
  );
}
