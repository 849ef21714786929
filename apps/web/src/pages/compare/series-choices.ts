import { type Role, roles } from '@mqttlab/shared/domain/devices/device';

export type SeriesChoice = {
  role: Role;
  /** Name of the stored series. */
  metric: string;
  label: string;
  /** Unit shown; stored values times `scale`. */
  unit: string;
  scale: number;
};

const processSeries = (role: Role): SeriesChoice[] => [
  { role, metric: 'cpu.process', label: `CPU of the ${role} process`, unit: '% of a core', scale: 1 },
  { role, metric: 'energy.power', label: `Power of the ${role}’s device`, unit: 'W', scale: 1 },
  { role, metric: 'memory.resident', label: `Memory of the ${role} process`, unit: 'MB', scale: 1e-6 },
];

/** Series that every run stores, by role. */
export const seriesChoices: readonly SeriesChoice[] = [
  { role: 'subscriber', metric: 'latency.p50', label: 'Median latency, each second', unit: 'ms', scale: 1 },
  { role: 'subscriber', metric: 'latency.p95', label: 'P95 of latency, each second', unit: 'ms', scale: 1 },
  ...roles.flatMap(processSeries),
];
