import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { DeviceProbe } from '@mqttlab/shared/messages/devices';
import type { ReactElement } from 'react';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { TagList } from '../../ui/tag.tsx';
import styles from './device-facts.module.css';

type ProbeFactsProps = {
  probe: DeviceProbe;
  /** What the agent tells better stands elsewhere; null while it never connected. */
  announced: AgentCapabilities | null;
};

/** What the installation found on a device over SSH. */
export function ProbeFacts({ probe, announced }: ProbeFactsProps): ReactElement {
  const system: Fact[] = [
    { label: 'System', value: probe.os },
    { label: 'Kernel', value: <span className="mono">{probe.kernel}</span> },
    { label: 'Memory', value: formatBytes(probe.memoryBytes) },
    { label: 'Free disk', value: formatBytes(probe.diskFreeBytes) },
    { label: 'Brokers', value: probe.brokers.join(', ') || 'none but the one of the agent' },
    {
      label: 'Interfaces',
      value: probe.interfaces.map(({ name, address }) => (
        <span key={`${name} ${address}`} className={styles.line}>
          <span className="mono">{name}</span> <span className="mono">{address}</span>
        </span>
      )),
    },
  ];
  const facts: Fact[] = [
    { label: 'Architecture', value: probe.architecture },
    ...(announced === null ? system : []),
    {
      label: 'Agent runs',
      value: probe.init === 'systemd' ? 'as a systemd unit' : 'under a supervising shell',
    },
    { label: 'Tools', value: listed(probe.tools, 'none of those that help') },
    { label: 'Sensors', value: listed(probe.sensors, 'none') },
    ...(announced?.shaping
      ? []
      : [{ label: 'Shaping', value: listed(probe.shaping, 'not tried, or nothing works') }]),
  ];
  return (
    <div className={styles.facts}>
      <Facts facts={facts} />
    </div>
  );
}

function listed(names: readonly string[], none: string): ReactElement {
  if (names.length === 0) return <>{none}</>;
  return (
    <span className={styles.tags}>
      <TagList tags={names} />
    </span>
  );
}
