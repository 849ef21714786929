import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { StudyFacts } from '@mqttlab/shared/figures/studies/study-input';

/** What the devices of a run told about themselves then; a testbed may have changed since. */
export function studyFactsOf(run: RunDetail | undefined): StudyFacts {
  const environment = run?.results.find(({ role }) => role === 'publisher')?.environment ?? {};
  const { 'cpu.model': model, 'cpu.features': features } = environment;
  const broker = run?.treatment.levels.broker;
  return {
    cpuModel: typeof model === 'string' ? model : null,
    cpuFeatures: typeof features === 'string' ? features.split(' ').filter(Boolean) : null,
    broker:
      broker === undefined || broker === null ? null : (findFactor('broker')?.levelLabel(broker) ?? null),
  };
}
