import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { FactorValue } from '@mqttlab/shared/domain/factor';
import type { DeviceFacts, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { StudyInput } from './input.ts';

/** What the devices of a run reported about themselves then; a testbed may have changed since. */
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
 * Cores that the broker can use: Mosquitto and the embedded broker work in one thread, others in all cores of their
 * device; null if their number is not known.
 */
export function usableCores({ devices }: StudyFacts, broker: FactorValue | null): number | null {
  if (broker !== 'external') return 1;
  return devices?.find(({ role }) => role === 'broker')?.cores ?? null;
}

export type ReasonKind = 'cpu' | 'broker' | 'link' | 'energy';

/** Why figures may differ from those published, by the devices and runs of this experiment. */
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
  return broker ? [`The broker here is ${broker}, with another engine and other defaults.`] : [];
}

function cpuReason({ cpuModel, cpuFeatures }: StudyFacts, published: boolean | null): string[] {
  if (cpuFeatures === null) return ['The features of the CPU here are not known.'];
  const here = `The CPU here${cpuModel ? ` (${cpuModel})` : ''} has ${cpuFeatures.includes('aes') ? '' : 'no '}AES instructions`;
  if (published === null) return [`${here}; the text does not say whether the published one has them.`];
  if (published === cpuFeatures.includes('aes')) return [`${here}, as the published one.`];
  return [
    published
      ? `${here}, which the published one has: AES costs more here.`
      : `${here}, which the published one lacks: AES-GCM is cheap here, and ChaCha20-Poly1305 has no advantage to expect.`,
  ];
}

function linkReason(treatments: readonly ComparedTreatment[]): string[] {
  const links = [...new Set(treatments.map(({ treatment }) => String(treatment.levels.link ?? '')))];
  if (!links.includes('lo')) return [];
  return [
    'Messages travel over the loopback: no radio, no retransmission on the air, no queue of a router; latency and its spread are smaller by nature.',
  ];
}

function energyReason(treatments: readonly ComparedTreatment[]): string[] {
  const bases = new Set(treatments.flatMap(({ runs }) => runs.flatMap((run) => run.bases?.energy ?? [])));
  if (bases.has('modelled')) {
    return ['Energy is modelled from CPU time here, not measured: it follows CPU load and sees no radio.'];
  }
  return bases.size === 0 ? ['No source of energy was found: energy is a gap.'] : [];
}
