import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { nameOf } from '../evidence/evidence.ts';
import { timesAndPower } from './matters.ts';

export const noThrottling: VerdictDefinition = {
  id: 'no-throttling',
  label: 'No throttling',
  fault: 'Device throttled its CPU',
  remedy: 'Cool the device or use a stronger power supply, then run again.',
  matters: timesAndPower,
  judge: ({ results }) => {
    const reporting = results.filter((result) => typeof result.environment['throttling.source'] === 'string');
    if (reporting.length === 0) {
      return { status: 'not applicable', evidence: `0 of ${results.length} devices report throttling` };
    }
    const throttled = reporting.filter(
      ({ environment }) => Number(environment['throttling.events'] ?? 0) > 0,
    );
    return throttled.length === 0
      ? { status: 'passed', evidence: `0 events on ${reporting.length} devices, limit 0` }
      : {
          status: 'failed',
          evidence: throttled
            .map(
              (result) =>
                `${nameOf(result)}: ${result.environment['throttling.events']} events (${result.environment['throttling.flags'] ?? 'no detail'}), limit 0`,
            )
            .join('; '),
        };
  },
};
