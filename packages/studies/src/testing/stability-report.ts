import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { type Report, reportSchema } from '@mqttlab/shared/domain/report/report';
import { makeStudyDraft, type StudyScale } from '@mqttlab/shared/planning/study';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { makeNoise, makeReportInput } from '@mqttlab/shared/testing/report-input';
import { stabilityAware } from '../stability-aware/study.ts';
import { withSuites } from './testbeds.ts';

export const volts = 5;
/** Currents in mA, in the order of the plan: plain, ECDH + CBC, ECDH + GCM, TLS 1.2 with RSA and ECDHE, TLS 1.3. */
const publishedMA = [78.4, 84.9, 86, 92.7, 93, 95];
export const tls12 = 3;
/** Samples before measuring, from the start of the connection. */
const handshake = 5;

/** A testbed whose devices support the suites of the study. */
export function makeStabilityTestbed(): TestbedCapabilities {
  return withSuites(makeTestbed(), [
    'AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'TLS_AES_128_GCM_SHA256',
  ]);
}

interface Course {
  testbed?: TestbedCapabilities;
  /** Current of each configuration in mA, in the order of the plan. */
  levels?: readonly number[];
  /** Ratio of handshake current to steady current, for TLS and for the others. */
  spike?: { tls: number; others: number };
  /** Noise in mA, and the share of it that persists until the next sample. */
  noise?: number;
  memory?: number;
}

/** Samples every 100 ms after a handshake. The receiver's current lags the emitter's by one sample. */
export function makeStabilityReport(scale: StudyScale, samples: number, course: Course = {}): Report {
  const {
    testbed = makeStabilityTestbed(),
    levels = publishedMA,
    spike = { tls: 1.5, others: 1.5 },
    noise = 1,
    memory = 0.6,
  } = course;
  const [part] = stabilityAware.parts;
  const draft = part && makeStudyDraft({ study: stabilityAware, part, scale }, makeTestbedView(testbed));
  if (!draft) throw new Error('there is no draft');
  const random = makeNoise(4);
  const input = makeReportInput(
    (treatment, block) => {
      const level = levels[treatment] ?? 0;
      const first = (treatment < tls12 ? spike.others : spike.tls) * level;
      let last = 0;
      const current = Array.from({ length: handshake + samples }, (_, index) => {
        if (index < handshake) return first;
        last = memory * last + noise * random();
        return Math.max(1, level + block / 100 + last);
      });
      const receiver = [level, ...current.slice(0, -1)].map((value, index) =>
        index > handshake ? value : level,
      );
      const series = (role: string, values: readonly number[]) => ({
        role,
        series: {
          metric: 'energy.power',
          unit: 'W',
          timesMs: values.map((_, index) => (index - handshake) * 100),
          values: values.map((milliampere) => (milliampere * volts) / 1000),
        },
      });
      const energy = {
        source: 'test',
        quality: 'measured',
        detail: '',
        baselineW: 0.2,
        measureJ: 1,
        voltageV: volts,
        batteryMah: null,
      };
      const phase = { cpuUs: 1, bytesSent: 1, bytesReceived: 1, connections: 1 };
      return {
        metrics: { 'latency.mean': 20 + treatment, 'energy.publisher': level },
        series: [series('publisher', current), series('subscriber', receiver)],
        data: {
          phases: [
            { phase: 'tls', startUs: 0, durationUs: 50_000, energyJ: 0.05, ...phase },
            {
              phase: 'measure',
              startUs: handshake * 100_000,
              durationUs: samples * 100_000,
              energyJ: null,
              ...phase,
            },
          ],
          energy: [{ role: 'publisher', energy: { ...energy, quality: 'measured' as const } }],
        },
      };
    },
    draft,
    testbed,
  );
  const report = makeReport({ ...input, needsStability: true });
  return reportSchema.parse(JSON.parse(JSON.stringify(report)));
}
