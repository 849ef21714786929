import { findFactor } from '../../catalogue/factors.ts';
import type { DeviceFacts, StudyFacts } from '../../domain/report/report.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunDetail } from '../../domain/runs/run.ts';

/** What the devices of a run told about themselves then; a testbed may have changed since. */
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
  const { 'cpu.model': model, 'cpu.features': features } = environment;
  return {
    role,
    cpuModel: typeof model === 'string' ? model : null,
    cpuFeatures: typeof features === 'string' ? features.split(' ').filter(Boolean) : null,
  };
}
