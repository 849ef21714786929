import {
  type Claim,
  contrast,
  count,
  every,
  type Levels,
  lines,
  type PartEvidence,
  within,
} from '@mqttlab/shared/analysis/claims/claim';
import { countRuns, numbersOf, sampleLine, select, valuesOf } from '@mqttlab/shared/analysis/claims/lines';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { formatNumber } from '@mqttlab/shared/format/number';
import { fitParabola } from '@mqttlab/shared/statistics/estimates/curvature';
import { fitLine } from '@mqttlab/shared/statistics/estimates/linear-fit';
import { publishedBeside } from '../published.ts';

const tls = { security: ['TLS 1.2', 'TLS 1.3'] };
const plain = { security: 'plain' };
const unlimited = { brokerHardening: 'as published' };
const isCoap = ({ applicationProtocol }: Levels) => String(applicationProtocol).startsWith('coap');

/** Returns the broker's CPU use by number of subscribers, for each repetition. */
function loadsOf(members: readonly ComparedTreatment[], flagged: boolean): { x: number[]; y: number[] }[] {
  const points = members.flatMap((one) =>
    valuesOf(one, 'cpu.broker', flagged).map(({ block, value }) => ({
      block,
      x: Number(one.treatment.levels.subscribers),
      y: value,
    })),
  );
  return [...Map.groupBy(points, ({ block }) => block).values()].map((own) => ({
    x: own.map(({ x }) => x),
    y: own.map(({ y }) => y),
  }));
}

/**
 * Returns lines for the increase of the broker's CPU use with the number of subscribers, and for its
 * linearity.
 */
function loadLines({ treatments, flagged }: PartEvidence) {
  const groups = Map.groupBy(
    select(treatments, { qos: 0 }),
    ({ treatment: { levels } }) => `${levels.security}`,
  );
  return [...groups].flatMap(([security, members]) => {
    // Two subscriber counts, as for plain at smoke scale, cannot show a deviation from a straight line.
    if (new Set(members.map(({ treatment }) => treatment.levels.subscribers)).size < 3) return [];
    const fits = loadsOf(members, flagged).flatMap(({ x, y }) => fitParabola(x, y) ?? []);
    const where = `${security} at QoS 0`;
    return [
      sampleLine(
        fits.map(({ rise }) => rise),
        {
          label: `increase of the broker’s CPU from the fewest to the most subscribers, ${where}`,
          unit: '%',
          expect: 'higher',
        },
      ),
      sampleLine(
        fits.flatMap(({ bend }) => bend ?? []),
        {
          label: `deviation from a straight line at the midpoint, as a share of the increase, ${where}`,
          unit: '',
          expect: { between: [-0.15, 0.15] },
        },
      ),
    ];
  });
}

/**
 * Returns the saturation for each repetition next to the published saturation, if load and cores match the
 * published values.
 */
function saturation({ treatments, flagged }: PartEvidence) {
  const members = select(treatments, { ...tls, qos: 0 });
  const [first] = members;
  const printed = first && publishedBeside(first.treatment, { study: 'rpi-broker', metric: 'saturation' });
  if (!printed || first.treatment.levels.broker !== 'external') {
    return {
      reason:
        'the published line is for a broker that uses four cores, with one publisher sending as fast as possible; Mosquitto uses one core, and its line and saturation are in the table',
    };
  }
  const exhausted = loadsOf(members, flagged).flatMap(({ x, y }) => {
    const fit = fitLine(x, y);
    return fit && fit.slope > 0 ? [(400 - fit.intercept) / fit.slope / printed.value] : [];
  });
  return [
    sampleLine(exhausted, {
      label: `number of subscribers at which four cores are exhausted, divided by the printed ${printed.value}`,
      unit: '',
      isRatio: true,
      expect: within(0.1),
    }),
  ];
}

/** Counts the configurations in which payloads are readable in the capture of one run. */
function seenPayloads({ treatments, report }: PartEvidence) {
  if (report?.captured.length === 0) {
    return { reason: 'packets cannot be captured at this testbed’s broker' };
  }
  const runs = (report?.captured ?? []).flatMap(({ treatment, seen }) => {
    const found = treatments.find((one) => one.treatment.key === treatment);
    const isRead = seen.find(({ label }) => label === 'Payloads')?.exposed === true;
    return found ? [{ isPlain: found.treatment.levels.security === 'plain', isRead }] : [];
  });
  return [true, false].map((isPlain) => {
    const own = runs.filter((run) => run.isPlain === isPlain);
    return {
      label: isPlain
        ? 'captures of plain MQTT with readable payloads'
        : 'captures of TLS without readable payloads',
      right: own.filter(({ isRead }) => isRead === isPlain).length,
      of: own.length,
    };
  });
}

/** Tests that values stay within ±10 % at the largest loss, for each type of CoAP message. */
const coapIsStable = (measure: string) =>
  contrast({
    measures: [measure],
    of: { loss: 10 },
    against: { loss: 0 },
    across: ['impairedDirection'],
    where: isCoap,
    who: '10 % loss compared with no loss',
    expect: within(0.1),
    each: ['applicationProtocol'],
  });

export const rpiBrokerClaims: readonly Claim[] = [
  {
    id: 'R1',
    part: 'a',
    line: 156,
    printed: ['TLS were the most CPU demanding'],
    says: 'TLS connections use the most CPU on the broker.',
    test: contrast({
      measures: ['cpu.broker'],
      of: tls,
      against: plain,
      who: 'TLS over TCP',
      expect: 'higher',
      each: ['qos'],
    }),
    see: ['CPU and memory of the broker by subscribers', 'CPU of the broker over subscribers'],
  },
  {
    id: 'R2',
    part: 'a',
    line: 156,
    printed: ['most CPU-intensive TLS traffic', 'QOS 0'],
    says: 'Under TLS, QoS 0 uses the most CPU on the broker.',
    test: contrast({
      measures: ['cpu.broker'],
      of: { qos: 0 },
      against: { qos: [1, 2] },
      eachOther: 'qos',
      who: 'QoS 0',
      where: tls,
      expect: 'higher',
    }),
    see: ['CPU and memory of the broker by subscribers'],
  },
  {
    id: 'R3',
    part: 'a',
    line: 156,
    printed: ['linear interpretation'],
    says: 'The broker’s CPU use grows linearly with the number of subscribers (deviation from a line of at most 15 % of the increase).',
    test: lines(loadLines),
    see: ['CPU of the broker over subscribers'],
  },
  {
    id: 'R4',
    part: 'a',
    line: 171,
    printed: ['156.33'],
    says: 'With a slope of 1.32 % and an intercept of 193.64 %, 156 subscribers exhaust the board’s CPU (400 %).',
    test: lines(saturation),
    see: ['CPU of the broker over subscribers: lines'],
    note: 'The published line is fitted only to its first and last points.',
  },
  {
    id: 'R5',
    part: 'a',
    line: 175,
    printed: ['fairly stable', '13'],
    says: 'Memory use hardly depends on the number of subscribers (within ±5 %). It peaks at 13 % at QoS 2 with 100 subscribers.',
    test: contrast({
      measures: ['memory.broker.mean'],
      of: { subscribers: 100 },
      against: { subscribers: 10 },
      who: '100 over 10 subscribers',
      expect: within(0.05),
      each: ['security'],
    }),
    see: ['CPU and memory of the broker by subscribers'],
    note: 'EMQX’s runtime needs much more memory than a connection; Mosquitto does not.',
  },
  {
    id: 'R6',
    part: 'b',
    line: 210,
    printed: ['17.43 times larger'],
    says: 'Connecting over TLS needs 17.43 times as many bytes as over TCP (±5 %).',
    test: contrast({
      measures: ['state.CON.frameBytes'],
      of: tls,
      against: plain,
      across: ['cipherSuite', 'certificate', 'chainLength'],
      who: 'TLS over TCP',
      expect: within(0.05, 17.43),
    }),
    see: ['Frames, headers and what TLS adds', 'Bytes to reach a state'],
    note: 'The published 194 B for TCP cannot include the TCP handshake. Our values include it.',
  },
  {
    id: 'R7',
    part: 'c',
    line: 177,
    printed: ['marginal impact on the performance of CoAP'],
    says: 'Packet loss hardly changes CoAP’s latency (median within ±10 %).',
    test: coapIsStable('exchange.p50'),
    see: ['Exchanges and messages by loss', 'Time of an exchange by loss and protocol'],
    note: 'The text does not state whether its messages were confirmable.',
  },
  {
    id: 'R8',
    part: 'c',
    line: 177,
    printed: ['133.21', '13.40', '993%'],
    says: 'The third quartile of MQTT’s latency rises tenfold from no loss to 2 % loss (judged as 5 to 20 times).',
    test: contrast({
      measures: ['exchange.p75'],
      of: { loss: 2 },
      against: { loss: 0 },
      across: ['impairedDirection'],
      where: { applicationProtocol: 'mqtt' },
      who: '2 % loss over none',
      expect: { between: [5, 20] },
    }),
    see: ['Exchanges and messages by loss', 'Time of an exchange by loss and protocol'],
    note: 'According to the study’s own figures, the published 993 % should be 894 %.',
  },
  {
    id: 'R9',
    part: 'c',
    line: 192,
    printed: ['94.23%'],
    says: 'MQTT’s throughput falls by 94.23 % from no loss to 10 % loss (judged as 88 % or more). CoAP’s throughput is stable (±10 %).',
    test: every(
      contrast({
        measures: ['exchange.throughput'],
        of: { loss: 10 },
        against: { loss: 0 },
        across: ['impairedDirection'],
        where: { applicationProtocol: 'mqtt' },
        who: 'MQTT at 10 % loss compared with no loss',
        expect: { between: [0, 0.12] },
      }),
      coapIsStable('exchange.throughput'),
    ),
    see: ['Payload over median exchange'],
    note: 'Throughput is payload divided by the median exchange time, as the study defines it. This ignores messages slower than the median.',
  },
  {
    id: 'R10',
    part: 'd',
    line: 214,
    printed: ['this attack was not possible on the EMQX broker'],
    says: 'SlowITe is not possible against a broker without a connection limit.',
    test: countRuns({
      label: 'runs in which every attempt of a legitimate client reached the broker',
      measure: 'availability.reached',
      where: unlimited,
      isRight: (percent) => percent >= 100,
      detail: (all) => `at least ${formatNumber(Math.min(...all))} % of the attempts`,
    }),
    see: ['Attempts to connect, and cost at the broker'],
    note: 'Mosquitto also sets no connection limit, but its process is limited to 1,024 open files.',
  },
  {
    id: 'R11',
    part: 'e',
    line: 152,
    printed: ['0xFFFFFFFF'],
    says: 'Sessions that never expire exhaust the broker’s memory.',
    test: lines((evidence) => [
      sampleLine(numbersOf(evidence, 'availability.memoryGrowth', { ...unlimited, ...plain }), {
        label: 'growth of the broker’s memory',
        unit: 'MB',
        expect: 'higher',
      }),
    ]),
    see: ['Attempts to connect, and cost at the broker'],
    note: 'The sessions contain queued messages but no Will.',
  },
  {
    id: 'R12',
    part: 'f',
    line: 142,
    printed: ['full payload in plain text'],
    says: 'MQTT packets reveal metadata and payload over TCP, but not over TLS.',
    test: count(seenPayloads),
    see: ['What an eavesdropper sees'],
  },
];
