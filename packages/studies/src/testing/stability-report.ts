import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { type Report, reportSchema } from '@mqttlab/shared/domain/report/report';
import { makeStudyDraft } from '@mqttlab/shared/planning/study';
import { makeCapabilities, makeTestbed } from '@mqttlab/shared/testing/factories';
import { makeNoise, makeReportInput } from '@mqttlab/shared/testing/report-input';
import { stabilityAware } from '../stability-aware/study.ts';

export const volts = 5;
/** mA of plain, ECDH + CBC, ECDH + GCM, TLS 1.2 with RSA and ECDHE, TLS 1.3: the order of the plan. */
const levels = [78.4, 84.9, 86, 92.7, 93, 95];
export const tls12 = 3;
/** Samples before measuring, from the start of the connection. */
const handshake = 5;

/** Its devices offer the suites that the study needs. */
export function makeStabilityTestbed(): TestbedCapabilities {
  const testbed = makeTestbed();
  const suites = ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'TLS_AES_128_GCM_SHA256'];
  return {
    ...testbed,
    devices: testbed.devices.map((device) => {
      const { tls, brokers, ...capabilities } = makeCapabilities(device.role);
      return {
        ...device,
        capabilities: {
          ...capabilities,
          tls: { ...tls, suites },
          brokers: brokers.map((broker) => ({ ...broker, tls: { ...broker.tls, suites } })),
        },
      };
    }),
  };
}

function draftOf(scale: 'smoke' | 'full') {
  const [part] = stabilityAware.parts;
  const draft =
    part && makeStudyDraft({ study: stabilityAware, part, scale }, makeTestbedView(makeStabilityTestbed()));
  if (!draft) throw new Error('there is no draft');
  return draft;
}

/** `samples` each 100 ms after a handshake; the receiver draws what the emitter drew a sample before. */
export function makeStabilityReport(scale: 'smoke' | 'full', samples: number): Report {
  const draft = draftOf(scale);
  const noise = makeNoise(4);
  const input = makeReportInput(
    (treatment, block) => {
      const level = levels[treatment] ?? 0;
      let last = 0;
      const current = Array.from({ length: handshake + samples }, (_, index) => {
        if (index < handshake) return 1.5 * level;
        last = 0.6 * last + noise();
        return level + block / 100 + last;
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
      return {
        metrics: { 'latency.mean': 20 + treatment, 'energy.publisher': level },
        data: {
          series: [series('publisher', current), series('subscriber', receiver)],
          phases: [
            {
              phase: 'tls',
              startUs: 0,
              durationUs: 50_000,
              cpuUs: 1,
              energyJ: 0.05,
              bytesSent: 1,
              bytesReceived: 1,
              connections: 1,
            },
            {
              phase: 'measure',
              startUs: handshake * 100_000,
              durationUs: samples * 100_000,
              cpuUs: 1,
              energyJ: null,
              bytesSent: 1,
              bytesReceived: 1,
              connections: 1,
            },
          ],
          energy: [{ role: 'publisher', energy: { ...energy, quality: 'measured' as const } }],
        },
      };
    },
    draft,
    makeStabilityTestbed(),
  );
  const report = makeReport({ ...input, asksForStability: true });
  return reportSchema.parse(JSON.parse(JSON.stringify(report)));
}
