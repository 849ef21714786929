import type { Role } from '../../domain/devices/device.ts';
import { roles } from '../../domain/devices/device.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { countOf, isBrokerProcessKnown, machineOf, ratioOf, resultsOf } from '../evidence/evidence.ts';
import { messagesHandled } from '../evidence/throughput-evidence.ts';

/** V, where nobody told the voltage of the supply: what a Raspberry Pi runs on. */
export const usualVolts = 5;
/** 1 mAh is 3.6 coulomb. */
const coulombPerMilliampereHour = 3.6;

interface MachineEnergy {
  /** In the measure phase. */
  joules: number;
  /** What the idle machine would have drawn in that time; null where it was not measured. */
  idleJoules: number | null;
  seconds: number;
  volts: number;
  /** Of its battery; null where nobody told one. */
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

/** One for each machine: several roles of one machine report the same energy. null if one is missing. */
function machinesOf(results: readonly RoleResult[]): MachineEnergy[] | null {
  if (new Set(results.flatMap(({ energy }) => energy?.quality ?? [])).size !== 1) return null;
  const machines = [...Map.groupBy(results, machineOf).values()].map((own) => {
    const told = own.find((result) => energyOf(result) !== null);
    return energyOf(told);
  });
  return machines.includes(null) ? null : machines.filter((machine) => machine !== null);
}

/** All machines of a role as if they were one; null where one is missing. */
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

/** All machines of a run; null if one is missing, such as that of a broker that may run elsewhere. */
function allMachines(evidence: RunEvidence): MachineEnergy[] | null {
  return isBrokerProcessKnown(evidence) ? machinesOf(evidence.results) : null;
}

function totalJ(evidence: RunEvidence): number | null {
  const machines = allMachines(evidence);
  return machines === null || machines.length === 0 ? null : sum(machines.map(({ joules }) => joules));
}

/** Above what the idle machines would have drawn. */
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
  // Sources differ; the meters that mqttlab reads give three digits or more.
  resolution: { share: 0.001 },
  better: 'lower',
  role: null,
  source:
    'The energy source of each device (sensor, plug, RAPL, meter’s file or model; named with its quality on the run): its power, integrated by trapezoids over the measure phase, or the difference of its energy counter.',
  bias: 'Depends on the source: a model includes only CPU and network. Power is interpolated linearly between two samples. Gaps in the file of a meter are reported with their maximum error.',
} as const;
const aboveIdle = {
  ...base,
  quantity: 'signed',
  source: `${base.source} Idle power from the same source: of a sensor before the load, of a meter from a time outside the run without load.`,
  bias: 'Idle power is a mean over the time shown next to it. A short time, or a device that warms up, shifts this figure over the complete measure phase.',
} as const;
const once = 'Devices that share one machine count once';

function metricsOf(role: Role): MetricDefinition[] {
  const own = { ...base, role };
  const machine = (evidence: RunEvidence) =>
    role === 'broker' && !isBrokerProcessKnown(evidence) ? null : joinMachines(resultsOf(evidence, role));
  return [
    {
      ...own,
      id: `energy.${role}`,
      label: `Energy, ${role}`,
      unit: 'J',
      help: `What the whole device of the ${role} drew while measuring; on one machine it is the same for every role.`,
      from: (evidence) => machine(evidence)?.joules ?? null,
    },
    {
      ...aboveIdle,
      role,
      id: `energyNet.${role}`,
      label: `Energy above idle, ${role}`,
      unit: 'J',
      help: `The same less what the idle device of the ${role} would have drawn in that time.`,
      from: (evidence) => {
        const found = machine(evidence);
        return !found || found.idleJoules === null ? null : found.joules - found.idleJoules;
      },
    },
    {
      ...own,
      id: `power.${role}`,
      label: `Mean power, ${role}`,
      unit: 'W',
      help: `Mean power of the whole device of the ${role} while measuring.`,
      from: (evidence) => {
        const found = machine(evidence);
        return found ? ratioOf(found.joules, found.seconds) : null;
      },
    },
    {
      ...own,
      bias: 'Assumes the full configured capacity at any current and temperature.',
      id: `batteryLife.${role}`,
      label: `Battery life, ${role}`,
      unit: 'h',
      better: 'higher',
      help: `How long the battery of the ${role} lasts under this load: the capacity set on the page of the device, divided by the mean current.`,
      from: (evidence) => {
        const found = machine(evidence);
        if (!found || found.batteryMah === null) return null;
        // mAh at the supply's voltage are 3.6 J for each volt.
        return ratioOf(found.batteryMah * found.volts * 3.6 * (found.seconds / 3600), found.joules);
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
    help: `Energy of all devices while measuring. ${once}.`,
    from: totalJ,
  },
  {
    ...aboveIdle,
    id: 'energyNet.total',
    label: 'Energy above idle',
    unit: 'J',
    help: `Energy of all devices while measuring, less what they would have drawn idle. ${once}.`,
    from: netJ,
  },
  {
    ...base,
    id: 'power.total',
    label: 'Mean power',
    unit: 'W',
    help: `Mean power of all devices while measuring. ${once}.`,
    from: (evidence) =>
      sum((allMachines(evidence) ?? [null]).map((found) => found && ratioOf(found.joules, found.seconds))),
  },
  {
    ...base,
    id: 'current.total',
    label: 'Mean current',
    unit: 'mA',
    help: `Mean power over the voltage of the supply, ${usualVolts} V unless the agent has another setting.`,
    from: (evidence) =>
      milli(
        sum(
          (allMachines(evidence) ?? [null]).map(
            (found) => found && ratioOf(found.joules, found.seconds * found.volts),
          ),
        ),
      ),
  },
  {
    ...base,
    id: 'charge.total',
    label: 'Charge',
    unit: 'mAh',
    help: `Energy over the voltage of the supply, ${usualVolts} V unless the agent has another setting.`,
    from: (evidence) =>
      sum(
        (allMachines(evidence) ?? [null]).map(
          (found) => found && found.joules / found.volts / coulombPerMilliampereHour,
        ),
      ),
  },
  {
    ...base,
    id: 'energyPerMessage.total',
    label: 'Energy per message',
    unit: 'mJ',
    help: `Energy of all devices while measuring, for each message that arrived meanwhile, whatever the number of subscribers. ${once}.`,
    from: (evidence) => milli(ratioOf(totalJ(evidence), messagesHandled(evidence))),
  },
  {
    ...aboveIdle,
    id: 'energyPerMessageNet.total',
    label: 'Energy above idle per message',
    unit: 'mJ',
    help: `The same less what the idle devices would have drawn. ${once}.`,
    from: (evidence) => milli(ratioOf(netJ(evidence), messagesHandled(evidence))),
  },
  {
    ...aboveIdle,
    id: 'energyPerHandshake.total',
    label: 'Energy above idle per connection',
    unit: 'mJ',
    help: `Energy of all devices above idle while connections are opened and closed, for each of them. ${once}.`,
    from: (evidence) =>
      // "states" rests between its steps: what it draws meanwhile is no handshake's.
      evidence.spec.workload === 'states'
        ? null
        : milli(ratioOf(netJ(evidence), countOf(evidence, 'publisher', 'connectionsOpened'))),
  },
  ...roles.flatMap(metricsOf),
];
