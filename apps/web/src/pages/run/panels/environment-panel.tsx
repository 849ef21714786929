import { entryOf } from '@mqttlab/shared/domain/bounds';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo } from 'react';
import { FactsTable } from '../../../ui/facts.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { Panel, ScrollRegion } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import styles from './panels.module.css';
import { type DeviceEvidence, runDevices } from './run-devices.tsx';

/** Environment of each device: kernel, processor, versions, clocks and broker configuration. */
export function EnvironmentPanel({ run }: { run: RunDetail }): ReactElement {
  const { rows, blocks } = useMemo(() => makeEnvironment(run), [run]);
  const columns = rows[0]?.values ?? [];
  const overhead = run.overheadMs === null ? '' : `overhead ${formatDuration(run.overheadMs)}`;
  return (
    <Panel title="Environment" subtitle={overhead} flush>
      {rows.length === 0 ? (
        <EmptyState sentence="No device reported its environment in this run." />
      ) : (
        <FactsTable
          label="Environment by device"
          columns={columns}
          rows={rows.map((row) => ({ ...row, values: row.values.map(({ text }) => text) }))}
        />
      )}
      {blocks.map((block) => (
        <details key={block.key} className={styles.block}>
          <summary>{block.label}</summary>
          <ScrollRegion label={block.label}>
            <pre>{block.text}</pre>
          </ScrollRegion>
        </details>
      ))}
    </Panel>
  );
}

type Fact = string | number | boolean | null;

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
  'clock.uncertaintyUs': 'Clock offset, maximum error',
  'clock.service': 'Clock service',
  'clock.synchronised': 'Clock synchronised',
  'clock.estimatedErrorMs': 'Estimated clock error, ms',
  'broker.kind': 'Broker',
  'broker.version': 'Broker version',
  'broker.tlsLibrary': 'Broker TLS library',
  'broker.binary': 'Broker program',
  'broker.address': 'Broker address',
  'broker.port': 'Broker port',
  'broker.endsWithAgent': 'Broker exits with the agent',
  'broker.configuration': 'Broker configuration',
  'link.interface': 'Interface',
  'link.address': 'Address',
  'link.seenFrom': 'Client addresses',
  'process.pid': 'Process id',
  'agent.pid': 'Agent process id',
  'memory.proportionalBytes': 'Proportional memory',
  'sampler.missed': 'Samples missed',
  'client.start': 'Start of the client',
  'workload.ended': 'End of the workload',
  'energy.covers': 'Energy source',
  'throttling.source': 'Throttling source',
};

/** Returns the facts of every device side by side. Known keys are first, in order of importance. */
export function makeEnvironment(run: DeviceEvidence) {
  const devices = runDevices(run);
  const known = Object.keys(labels);
  const place = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length);
  const keys = [...new Set(devices.flatMap(({ result }) => Object.keys(result.environment)))].sort(
    (a, b) => place(a) - place(b) || a.localeCompare(b),
  );
  const isBlock = (key: string) =>
    devices.some(({ result }) => String(result.environment[key]).includes('\n'));
  const rowOf = (key: string) => {
    const values = devices.map(({ result, ...device }) => ({
      ...device,
      text: factText(key, result.environment[key]),
    }));
    /** True if all devices report the same value. */
    const isShared = values.length > 1 && values.every(({ text }) => text === values[0]?.text);
    return { key, label: entryOf(labels, key) ?? key, values, isShared };
  };
  return {
    rows: keys.filter((key) => !isBlock(key)).map(rowOf),
    /** Multi-line texts, such as the broker's configuration. */
    blocks: keys
      .filter(isBlock)
      .flatMap((key) =>
        devices
          .filter(({ result }) => typeof result.environment[key] === 'string')
          .map(({ result, ...device }) => ({
            key: `${key} ${device.key}`,
            label: entryOf(labels, key) ?? `${key}, ${device.label}`,
            text: String(result.environment[key]),
          })),
      ),
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
