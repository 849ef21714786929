import { NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type RunDevice, runDevices } from './run-devices.ts';

type Fact = string | number | boolean | null;

export interface EnvironmentRow {
  key: string;
  label: string;
  /** One text for each device that reported; an en dash where it said nothing. */
  values: (RunDevice & { text: string })[];
  /** All devices say the same. */
  isShared: boolean;
}

export interface Environment {
  rows: EnvironmentRow[];
  /** Texts of several lines, such as the configuration of the broker. */
  blocks: { key: string; label: string; text: string }[];
}

const labels: Readonly<Record<string, string>> = {
  'device.hostname': 'Host name',
  'device.os': 'Operating system',
  'device.kernel': 'Kernel',
  'device.architecture': 'Architecture',
  'device.memoryBytes': 'Memory',
  'device.bootId': 'Boot id',
  'cpu.model': 'CPU',
  'cpu.cores': 'CPU cores',
  'cpu.features': 'CPU features',
  'cpu.governor': 'Frequency governor',
  'cpu.frequencyHz': 'CPU frequency',
  'agent.version': 'Agent version',
  'node.version': 'Node',
  'node.tlsLibrary': 'TLS library',
  'clock.offsetUs': 'Clock offset',
  'clock.uncertaintyUs': 'Clock offset, bound',
  'clock.service': 'Clock kept by',
  'clock.synchronised': 'Clock synchronised',
  'clock.estimatedErrorMs': 'Estimated error of the clock, ms',
  'broker.kind': 'Broker',
  'broker.version': 'Broker version',
  'broker.tlsLibrary': 'Broker TLS library',
  'broker.binary': 'Broker program',
  'broker.address': 'Broker address',
  'broker.port': 'Broker port',
  'broker.endsWithAgent': 'Broker ends with the agent',
  'broker.configuration': 'Broker configuration',
  'link.interface': 'Interface',
  'link.address': 'Address',
  'link.seenFrom': 'Clients came from',
  'process.pid': 'Process id',
  'agent.pid': 'Process id of the agent',
  'memory.proportionalBytes': 'Proportional memory',
  'sampler.missed': 'Samples missed',
  'client.start': 'Start of the client',
  'workload.ended': 'End of the workload',
  'energy.covers': 'Energy source',
  'throttling.source': 'Throttling told by',
};

/** Facts of every device side by side; those worth most come first, what is not known by name last. */
export function makeEnvironment(run: Parameters<typeof runDevices>[0]): Environment {
  const devices = runDevices(run);
  const ordered = devices.map(({ result }) => result);
  const known = Object.keys(labels);
  const keys = [...new Set(ordered.flatMap((result) => Object.keys(result.environment)))].sort(
    (a, b) => place(a, known) - place(b, known) || a.localeCompare(b),
  );
  const isBlock = (key: string) => ordered.some(({ environment }) => String(environment[key]).includes('\n'));
  return {
    rows: keys.filter((key) => !isBlock(key)).map((key) => makeRow(key, devices)),
    blocks: keys
      .filter(isBlock)
      .flatMap((key) =>
        devices
          .filter(({ result }) => typeof result.environment[key] === 'string')
          .map(({ result, ...device }) => ({
            key: `${key} ${device.key}`,
            label: labels[key] ?? `${key}, ${device.label}`,
            text: String(result.environment[key]),
          })),
      ),
  };
}

function place(key: string, known: readonly string[]): number {
  const index = known.indexOf(key);
  return index < 0 ? known.length : index;
}

function makeRow(key: string, devices: ReturnType<typeof runDevices>): EnvironmentRow {
  const values = devices.map(({ result, ...device }) => ({
    ...device,
    text: factText(key, result.environment[key]),
  }));
  return {
    key,
    label: labels[key] ?? key,
    values,
    isShared: values.length > 1 && values.every(({ text }) => text === values[0]?.text),
  };
}

function factText(key: string, fact: Fact | undefined): string {
  if (fact === null || fact === undefined || fact === '') return NO_VALUE;
  if (typeof fact === 'boolean') return fact ? 'yes' : 'no';
  if (typeof fact === 'string') return fact;
  if (/Bytes$/.test(key)) return formatBytes(fact);
  if (/Hz$/.test(key)) return formatQuantity(fact, 'Hz');
  if (key === 'clock.uncertaintyUs' && fact === 0) return 'none: one kernel, one clock';
  return /Us$/.test(key) ? formatQuantity(fact, 'µs') : String(fact);
}
