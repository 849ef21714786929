import type { Role } from '../../domain/devices/device.ts';
import { roles } from '../../domain/devices/device.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { countOf, isBrokerProcessKnown, machineOf, ratioOf, resultsOf } from '../evidence/evidence.ts';
import { messagesHandled } from '../evidence/throughput-evidence.ts';

/** Default supply voltage in V, which is that of a Raspberry Pi. */
export const usualVolts = 5;
/** 1 mAh is 3.6 coulomb. */
const coulombPerMilliampereHour = 3.6;

interface MachineEnergy {
  /** In the measure phase. */
  joules: number;
  /** Energy that the idle machine would have used in that time; null if idle power was not measured. */
  idleJoules: number | null;
  seconds: number;
  volts: number;
  /** Battery capacity; null if none is configured. */
  batteryMah: number | null;
}

function energyOf(result: RoleResult | undefined): MachineEnergy | null {
  const measure = result?.phases.find(({ phase }) => phase === 'measure');
  const joules = result?.energy?.measureJ;
  if (!result?.energy || !measure || joules === null || joules === undefined) return null;
  const { baselineW, voltageV, batteryMah } = result.energy;
  const seconds = measure.durationUs / 1e6;
  const idleJoules = baselineW === null ? null : baselineW * seconds;
  return { joules, idleJoules, seconds, volts: voltageV ?? usualVolts, batteryMah };
}

/**
 * Returns one entry per machine, because several roles on one machine report the same energy; null if a
 * machine is missing.
 */
function machinesOf(results: readonly RoleResult[]): MachineEnergy[] | null {
  if (new Set(results.flatMap(({ energy }) => energy?.quality ?? [])).size !== 1) return null;
  const machines = [...Map.groupBy(results, machineOf).values()].map((ofMachine) =>
    energyOf(ofMachine.find((result) => energyOf(result) !== null)),
  );
  return machines.includes(null) ? null : machines.filter((machine) => machine !== null);
}

/** Returns the sum over all machines with a role; null if a machine is missing. */
function joinMachines(results: readonly RoleResult[]): MachineEnergy | null {
  const machines = machinesOf(results);
  const [first] = machines ?? [];
  if (!machines || !first) return null;
  return {
    joules: machines.reduce((total, { joules }) => total + joules, 0),
    idleJoules: sum(machines.map(({ idleJoules }) => idleJoules)),
    seconds: Math.max(...machines.map(({ seconds }) => seconds)),
    volts: first.volts,
    batteryMah: machines.length === 1 ? first.batteryMah : null,
  };
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

/**
 * Returns all machines in a run; null if a machine is missing, for example that of a broker that may run
 * elsewhere.
 */
function allMachines(evidence: RunEvidence): MachineEnergy[] | null {
  return isBrokerProcessKnown(evidence) ? machinesOf(evidence.results) : null;
}

function totalJ(evidence: RunEvidence): number | null {
  const machines = allMachines(evidence);
  return machines === null || machines.length === 0 ? null : sum(machines.map(({ joules }) => joules));
}

/** Returns the energy above what the idle machines would have used. */
function netJ(evidence: RunEvidence): number | null {
  const machines = allMachines(evidence);
  if (machines === null || machines.length === 0) return null;
  return sum(machines.map(({ joules, idleJoules }) => (idleJoules === null ? null : joules - idleJoules)));
}

function milli(value: number | null): number | null {
  return value === null ? null : value * 1000;
}

const base = {
  group: 'energy',
  quantity: 'positive',
  // Resolution depends on the source; the supported meters report at least three digits.
  resolution: { share: 0.001 },
  better: 'lower',
  role: null,
  source:
    'The energy source of each device (sensor, plug, RAPL, meter file or model; the run names it with its quality): the power is integrated over the measure phase with the trapezoidal rule, or the energy counter’s difference is used.',
  bias: 'Limited by the source: a model uses only CPU and network and ignores other load. Power is interpolated linearly between samples. Gaps in a meter file are reported with their maximum error.',
} as const;
const aboveIdle = {
  ...base,
  quantity: 'signed',
  source: `${base.source} Idle power is from the same source: measured before the load by a sensor, or taken from an idle period before or after the run in a meter file.`,
  bias: 'Idle power is a mean over the period shown next to it. Errors in idle power, from a short period or a device that is still warming up, are multiplied by the length of the measure phase.',
} as const;
const once = 'Devices on the same machine count once';

function metricsOf(role: Role): MetricDefinition[] {
  const ofRole = { ...base, role };
  const machine = (evidence: RunEvidence) =>
    role === 'broker' && !isBrokerProcessKnown(evidence) ? null : joinMachines(resultsOf(evidence, role));
  return [
    {
      ...ofRole,
      id: `energy.${role}`,
      label: `Energy, ${role}`,
      unit: 'J',
      help: `Energy of the ${role} device in the measure phase. Roles on the same machine have the same value.`,
      from: (evidence) => machine(evidence)?.joules ?? null,
    },
    {
      ...aboveIdle,
      role,
      id: `energyNet.${role}`,
      label: `Energy above idle, ${role}`,
      unit: 'J',
      help: `Energy of the ${role} device minus what the idle device would have used in that time.`,
      from: (evidence) => {
        const energy = machine(evidence);
        return !energy || energy.idleJoules === null ? null : energy.joules - energy.idleJoules;
      },
    },
    {
      ...ofRole,
      id: `power.${role}`,
      label: `Mean power, ${role}`,
      unit: 'W',
      help: `Mean power of the ${role} device in the measure phase.`,
      from: (evidence) => {
        const energy = machine(evidence);
        return energy ? ratioOf(energy.joules, energy.seconds) : null;
      },
    },
    {
      ...ofRole,
      bias: 'Assumes the full configured capacity at any current and temperature.',
      id: `batteryLife.${role}`,
      label: `Battery life, ${role}`,
      unit: 'h',
      better: 'higher',
      help: `How long the ${role}’s battery would last under this load: the capacity configured on the device page, divided by the mean current.`,
      from: (evidence) => {
        const energy = machine(evidence);
        if (!energy || energy.batteryMah === null) return null;
        // 1 mAh is 3.6 J per volt of supply voltage.
        return ratioOf(energy.batteryMah * energy.volts * 3.6 * (energy.seconds / 3600), energy.joules);
      },
    },
  ];
}

export const energyMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    id: 'energy.total',
    label: 'Energy',
    unit: 'J',
    help: `Energy of all devices in the measure phase. ${once}.`,
    from: totalJ,
  },
  {
    ...aboveIdle,
    id: 'energyNet.total',
    label: 'Energy above idle',
    unit: 'J',
    help: `Energy of all devices in the measure phase, minus what they would have used while idle. ${once}.`,
    from: netJ,
  },
  {
    ...base,
    id: 'power.total',
    label: 'Mean power',
    unit: 'W',
    help: `Mean power of all devices in the measure phase. ${once}.`,
    from: (evidence) =>
      sum(
        (allMachines(evidence) ?? [null]).map((energy) => energy && ratioOf(energy.joules, energy.seconds)),
      ),
  },
  {
    ...base,
    id: 'current.total',
    label: 'Mean current',
    unit: 'mA',
    help: `Mean power divided by the supply voltage: ${usualVolts} V unless the agent is configured otherwise.`,
    from: (evidence) =>
      milli(
        sum(
          (allMachines(evidence) ?? [null]).map(
            (energy) => energy && ratioOf(energy.joules, energy.seconds * energy.volts),
          ),
        ),
      ),
  },
  {
    ...base,
    id: 'charge.total',
    label: 'Charge',
    unit: 'mAh',
    help: `Energy divided by the supply voltage: ${usualVolts} V unless the agent is configured otherwise.`,
    from: (evidence) =>
      sum(
        (allMachines(evidence) ?? [null]).map(
          (energy) => energy && energy.joules / energy.volts / coulombPerMilliampereHour,
        ),
      ),
  },
  {
    ...base,
    id: 'energyPerMessage.total',
    label: 'Energy per message',
    unit: 'mJ',
    help: `Energy of all devices in the measure phase, per message that arrived in that time, regardless of the number of subscribers. ${once}.`,
    from: (evidence) => milli(ratioOf(totalJ(evidence), messagesHandled(evidence))),
  },
  {
    ...aboveIdle,
    id: 'energyPerMessageNet.total',
    label: 'Energy above idle per message',
    unit: 'mJ',
    help: `Energy per message, minus what the idle devices would have used. ${once}.`,
    from: (evidence) => milli(ratioOf(netJ(evidence), messagesHandled(evidence))),
  },
  {
    ...aboveIdle,
    id: 'energyPerHandshake.total',
    label: 'Energy above idle per connection',
    unit: 'mJ',
    help: `Energy of all devices above idle while connections are opened and closed, per connection. ${once}.`,
    from: (evidence) =>
      // The workload "states" pauses between its steps, and the energy used in these pauses belongs to no
      // handshake.
      evidence.spec.workload === 'states'
        ? null
        : milli(ratioOf(netJ(evidence), countOf(evidence, 'publisher', 'connectionsOpened'))),
  },
  ...roles.flatMap(metricsOf),
];
