import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { FactorValue } from '@mqttlab/shared/domain/factor';
import type { DeviceFacts, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { StudyInput } from './input.ts';

/**
 * Returns the environment that the devices reported during a run; the testbed may have changed since then.
 */
export function studyFactsOf(run: RunDetail | undefined): StudyFacts {
  const devices = run?.results.map(factsOf) ?? [];
  const publisher = devices.find(({ role }) => role === 'publisher');
  const broker = run?.treatment.levels.broker;
  return {
    cpuModel: publisher?.cpuModel ?? null,
    cpuFeatures: publisher?.cpuFeatures ?? null,
    broker:
      broker === undefined || broker === null ? null : (findFactor('broker')?.levelLabel(broker) ?? null),
    devices,
  };
}

function factsOf({ role, environment }: RoleResult): DeviceFacts {
  const { 'cpu.model': model, 'cpu.features': features, 'cpu.cores': cores } = environment;
  return {
    role,
    cpuModel: typeof model === 'string' ? model : null,
    cpuFeatures: typeof features === 'string' ? features.split(' ').filter(Boolean) : null,
    cores: typeof cores === 'number' ? cores : null,
  };
}

/**
 * Returns the number of cores that the broker can use. Mosquitto and the embedded broker use one thread,
 * others use all cores of their device. Null if unknown.
 */
export function usableCores({ devices }: StudyFacts, broker: FactorValue | null): number | null {
  if (broker !== 'external') return 1;
  return devices?.find(({ role }) => role === 'broker')?.cores ?? null;
}

export type ReasonKind = 'cpu' | 'broker' | 'link' | 'energy';

/**
 * Returns reasons why results may differ from the published results, based on the devices and runs of this
 * experiment.
 */
export function likelyReasons(
  { study, treatments, facts }: StudyInput,
  kinds: readonly ReasonKind[] = ['cpu', 'broker', 'link', 'energy'],
): string[] {
  const reasons: Readonly<Record<ReasonKind, string[]>> = {
    cpu: cpuReason(facts, study.publishedAes),
    broker: brokerReason(facts),
    link: linkReason(treatments),
    energy: energyReason(treatments),
  };
  return [`The study ran on: ${study.publishedTestbed}.`, ...kinds.flatMap((kind) => reasons[kind])];
}

function brokerReason({ broker }: StudyFacts): string[] {
  return broker ? [`The broker here is ${broker}, which has a different engine and different defaults.`] : [];
}

function cpuReason({ cpuModel, cpuFeatures }: StudyFacts, published: boolean | null): string[] {
  if (cpuFeatures === null) return ['The features of the CPU used here are unknown.'];
  const here = `The CPU here${cpuModel ? ` (${cpuModel})` : ''} has ${cpuFeatures.includes('aes') ? '' : 'no '}AES instructions`;
  if (published === null) return [`${here}; the text does not state whether the CPU of the study has them.`];
  if (published === cpuFeatures.includes('aes')) return [`${here}, like the CPU of the study.`];
  return [
    published
      ? `${here}, unlike the CPU of the study, so AES costs more here.`
      : `${here}, unlike the CPU of the study. AES-GCM is therefore cheap here, and no advantage of ChaCha20-Poly1305 is expected.`,
  ];
}

function linkReason(treatments: readonly ComparedTreatment[]): string[] {
  const links = [...new Set(treatments.map(({ treatment }) => String(treatment.levels.link ?? '')))];
  if (!links.includes('lo')) return [];
  return [
    'Messages use the loopback interface, without radio, link-layer retransmissions or router queues. Latency and its spread are therefore smaller.',
  ];
}

function energyReason(treatments: readonly ComparedTreatment[]): string[] {
  const bases = new Set(treatments.flatMap(({ runs }) => runs.flatMap((run) => run.bases?.energy ?? [])));
  if (bases.has('modelled')) {
    return [
      'Energy here is modelled from CPU time, not measured. The model follows CPU load and does not include the radio.',
    ];
  }
  return bases.size === 0 ? ['No energy source was found, so there are no energy values.'] : [];
}
