import type { RoleResult } from '@mqttlab/shared/domain/role-result';

/** A small result of a publisher. */
export function makeTestResult(overrides: Partial<RoleResult> = {}): RoleResult {
  return {
    role: 'publisher',
    phases: [],
    negotiated: null,
    localPorts: [],
    counters: null,
    latency: null,
    lateness: null,
    series: [],
    environment: {},
    log: [],
    degraded: [],
    failure: null,
    ...overrides,
  };
}
