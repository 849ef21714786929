import {
  type Claim,
  contrast,
  count,
  every,
  type Levels,
  notTestable,
  type PartEvidence,
  within,
} from '@mqttlab/shared/analysis/claims/claim';
import type { ClientMatrixCell } from '@mqttlab/shared/catalogue/client-matrix';
import { isCellular, isWireless, needsTreatment, quartileRange } from '../claims/common.ts';

const suiteOf = ({ cipherSuite }: Levels) => String(cipherSuite);
/** True for AES in CBC mode with HMAC-SHA-1. */
const isSha = (levels: Levels) => /AES(128|256)-SHA$/.test(suiteOf(levels));
const isAead = (levels: Levels) => /GCM|CHACHA20/.test(suiteOf(levels));
const is = (suite: string) => (levels: Levels) => suiteOf(levels) === suite;
const isNot = (suite: string) => (levels: Levels) => suiteOf(levels) !== suite;
const chacha = 'ECDHE-RSA-CHACHA20-POLY1305';
const aesSha = 'AES128-SHA';
const suites = ['cipherSuite', 'certificate'];
const isWired = (levels: Levels) => !isWireless(levels) && !isCellular(levels);
const rate = { measures: ['rate.messages'], across: suites, eachOther: 'cipherSuite' } as const;

/**
 * Tests that one suite is the best and another the worst, compared with every other suite under these levels.
 */
function bestAndWorst(best: string, worst: string, where: (levels: Levels) => boolean) {
  return every(
    contrast({ ...rate, of: is(best), against: isNot(best), where, who: best, expect: 'higher' }),
    contrast({ ...rate, of: is(worst), against: isNot(worst), where, who: worst, expect: 'lower' }),
  );
}

const atVersion = (version: string) => (levels: Levels) => levels.mqttVersion === version && levels.qos === 0;
const noMatrix = {
  missing: 'no client matrix was run on this testbed (“What each client can do” on the Studies page)',
};

/** Counts capabilities of clients in the matrix, by groups of cells. One working cell per group is enough. */
function countCells(
  { clients }: PartEvidence,
  ...counts: readonly {
    label: string;
    chosen(cell: ClientMatrixCell): boolean;
    keyOf(cell: ClientMatrixCell): string;
    /** True if the claim states that none works. */
    isRefused?: true;
  }[]
) {
  if (!clients) return noMatrix;
  return counts.map(({ label, chosen, keyOf, isRefused = false }) => {
    const tried = clients.filter(
      (cell) => chosen(cell) && (isTried(cell) || (isRefused && isWithoutWebSocket(cell))),
    );
    const groups = [...Map.groupBy(tried, keyOf).values()];
    const right = groups.filter((cells) => cells.some(({ outcome }) => outcome === 'works') !== isRefused);
    return { label, right: right.length, of: groups.length };
  });
}

const isTried = ({ outcome }: ClientMatrixCell) => outcome === 'works' || outcome === 'fails';
/** True for cells that were not tried because the program has no option for them. */
const isWithoutWebSocket = ({ outcome, reason }: ClientMatrixCell) =>
  outcome === 'impossible' && (reason?.includes('WebSocket') ?? false);
const isMosquitto = ({ client }: ClientMatrixCell) => client === 'mosquitto clients';
/** OpenSSL prefers this suite, so negotiating it does not show that the client can choose a suite. */
const preferred = 'TLS_AES_256_GCM_SHA384';

export const cipherSuitesClaims: readonly Claim[] = [
  {
    id: 'C1',
    part: 'a',
    line: 500,
    printed: ['all SHAs with base AES128/256 show a larger delay'],
    says: 'AES suites with SHA-1 have larger delays than the others.',
    test: contrast({
      measures: ['latency.mean'],
      of: isSha,
      against: isAead,
      across: suites,
      who: 'AES with SHA-1 over AEAD suites',
      expect: 'higher',
    }),
    see: ['Responses of the study by suite', 'Message time by suite'],
  },
  {
    id: 'C2',
    part: 'a',
    line: 500,
    printed: ['higher variability in terms of the interquartile range'],
    says: 'ECDHE-RSA-CHACHA20-POLY1305 has a wider interquartile range of delays than other suites.',
    test: contrast({
      measures: [quartileRange],
      of: is(chacha),
      against: isNot(chacha),
      across: suites,
      who: `${chacha} over the others`,
      expect: 'higher',
    }),
    see: ['Responses of the study by suite', 'Message time by suite'],
  },
  {
    id: 'C3',
    part: 'a',
    line: 504,
    printed: [chacha, 'ECDHE-ECDSA-AES256-SHA'],
    says: `Over Ethernet with MQTT 3.1.1 and TLS 1.2, ${chacha} is the best suite and ECDHE-ECDSA-AES256-SHA the worst.`,
    test: bestAndWorst(
      chacha,
      'ECDHE-ECDSA-AES256-SHA',
      (levels) => isWired(levels) && atVersion('3.1.1')(levels),
    ),
    needs: needsTreatment(isWired, 'the testbed has no wired link'),
    see: ['Bandwidth by suite'],
  },
  {
    id: 'C4',
    part: 'a',
    line: 656,
    printed: ['AES256-GCM-SHA384', 'DHE-RSA-CHACHA20-POLY1305'],
    says: 'Over WiFi, AES256-GCM-SHA384 is the best suite and DHE-RSA-CHACHA20-POLY1305 the worst.',
    test: bestAndWorst(
      'AES256-GCM-SHA384',
      'DHE-RSA-CHACHA20-POLY1305',
      (levels) => isWireless(levels) && atVersion('3.1.1')(levels),
    ),
    needs: needsTreatment(isWireless, 'the testbed has no WiFi link'),
    see: ['Bandwidth by suite'],
  },
  {
    id: 'C5',
    part: 'a',
    line: 656,
    printed: ['AES128-SHA with TLSv1.2 and MQTT 5.0'],
    says: 'Over 4G/LTE, AES128-SHA with MQTT 5.0 is the best TLS 1.2 suite.',
    test: contrast({
      ...rate,
      of: is(aesSha),
      against: isNot(aesSha),
      where: (levels) => isCellular(levels) && atVersion('5.0')(levels),
      who: aesSha,
      expect: 'higher',
    }),
    needs: needsTreatment(isCellular, 'the testbed has no 4G or LTE link'),
    see: ['Bandwidth by suite'],
    note: 'The text names TLS_AES_128_GCM_SHA256 with MQTT 3.1.1 as the worst. It is a TLS 1.3 suite, so the table in part b shows its rank.',
  },
  {
    id: 'C6',
    part: 'a',
    line: 512,
    printed: ['MQTT 3.11 version', 'the best performance'],
    says: 'AES128-SHA changes from a slow suite with MQTT 3.1.1 to the best suite with MQTT 5.0.',
    test: every(
      contrast({
        measures: ['rate.messages'],
        of: is(aesSha),
        against: isNot(aesSha),
        across: suites,
        where: atVersion('3.1.1'),
        who: `${aesSha} over the others with MQTT 3.1.1`,
        expect: 'lower',
      }),
      contrast({
        ...rate,
        of: is(aesSha),
        against: isNot(aesSha),
        where: atVersion('5.0'),
        who: `${aesSha} with MQTT 5.0`,
        expect: 'higher',
      }),
    ),
    see: ['Bandwidth by suite'],
  },
  {
    id: 'C7',
    part: 'b',
    line: 532,
    printed: ['we do not observe significant differences'],
    says: 'Under TLS 1.3, the MQTT version makes no significant difference (rate within ±5 %).',
    test: contrast({
      measures: ['rate.messages'],
      of: { mqttVersion: '5.0' },
      against: { mqttVersion: '3.1.1' },
      who: 'MQTT 5.0 over 3.1.1',
      expect: within(0.05),
    }),
    see: ['Bandwidth by suite'],
  },
  {
    id: 'C8',
    part: 'd',
    isOfClients: true,
    line: 660,
    printed: ['TLSv1.2 family, transparently accepted by all clients'],
    says: 'Every client accepts the TLS 1.2 suites. The Mosquitto clients cannot choose a TLS 1.3 suite or use WebSocket.',
    test: count((evidence) =>
      countCells(
        evidence,
        {
          label: 'combinations of client and TLS 1.2 suite that work over TCP',
          chosen: ({ security, transport }) => security === 'TLS 1.2' && transport === 'tcp',
          keyOf: ({ client, suite }) => `${client} ${suite}`,
        },
        {
          label: `TLS 1.3 suites other than ${preferred} that the Mosquitto clients do not negotiate`,
          chosen: (cell) => isMosquitto(cell) && cell.security === 'TLS 1.3' && cell.suite !== preferred,
          keyOf: ({ suite }) => String(suite),
          isRefused: true,
        },
        {
          label: 'MQTT versions that the Mosquitto clients do not support over WebSocket',
          chosen: (cell) => isMosquitto(cell) && cell.transport === 'websocket',
          keyOf: ({ mqttVersion }) => mqttVersion,
          isRefused: true,
        },
      ),
    ),
    see: [],
    note: 'mqttx and mqtt-cli are not tested; mqttx uses the MQTT.js library, which is tested.',
  },
  {
    id: 'C9',
    part: 'd',
    isOfClients: true,
    line: 664,
    printed: ['3.1, 3.11, and 5.0'],
    says: 'All clients support MQTT 3.1, 3.1.1 and 5.0.',
    test: count((evidence) =>
      countCells(evidence, {
        label: 'combinations of client and MQTT version that work',
        chosen: () => true,
        keyOf: ({ client, mqttVersion }) => `${client} ${mqttVersion}`,
      }),
    ),
    see: [],
  },
  {
    id: 'C10',
    part: 'c',
    line: 598,
    printed: ['reduces the latency associated with establishing a secure connection'],
    says: 'TLS 1.3 establishes a connection faster than TLS 1.2.',
    test: contrast({
      measures: ['setUp.tls'],
      of: { security: 'TLS 1.3' },
      against: { security: 'TLS 1.2' },
      across: suites,
      who: 'TLS 1.3 over TLS 1.2',
      expect: 'lower',
    }),
    see: ['Responses of the study by suite'],
  },
  {
    id: 'C11',
    part: 'a',
    line: 668,
    printed: ['EMQX, RabbitMQ, NanoMQ, VernMQ'],
    says: 'Other brokers (EMQX, RabbitMQ, NanoMQ, VerneMQ) are left for future work.',
    test: notTestable(
      'the text makes no claim about them; the wizard’s factor Broker compares installed brokers',
    ),
    see: [],
  },
];
