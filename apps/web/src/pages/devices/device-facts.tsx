import type { AgentCapabilities, NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { ShapingCapability } from '@mqttlab/shared/domain/plans/impairment';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';
import { Facts } from '../../ui/facts.tsx';
import { TagList } from '../../ui/tag.tsx';
import { brokerName, describeCrypto } from './describe-device.ts';
import styles from './device-facts.module.css';

/** What an agent announced about its machine. */
export function DeviceFacts({ capabilities }: { capabilities: AgentCapabilities }): ReactElement {
  const { cpuModel, cpuCores, cpuFeatures, memoryBytes, diskFreeBytes, os, kernel } = capabilities;
  const up = capabilities.interfaces.filter((each) => each.up);
  const down = capabilities.interfaces.length - up.length;
  const others = capabilities.brokers.slice(1).map((broker) => `${broker.kind} ${broker.version}`);
  return (
    <div className={styles.facts}>
      <Facts
        facts={[
          { label: 'Processor', value: `${cpuCores} × ${cpuModel}` },
          {
            label: 'Cryptography',
            value: (
              <>
                {describeCrypto(capabilities)}
                {cpuFeatures.length > 0 && (
                  <span className={styles.tags}>
                    <TagList tags={cpuFeatures} />
                  </span>
                )}
              </>
            ),
          },
          { label: 'Memory', value: formatBytes(memoryBytes) },
          { label: 'Free disk', value: diskFreeBytes === null ? 'not known' : formatBytes(diskFreeBytes) },
          { label: 'System', value: os },
          { label: 'Kernel', value: <span className="mono">{kernel}</span> },
          { label: 'Agent', value: `${capabilities.agentVersion}, Node.js ${capabilities.nodeVersion}` },
          { label: 'Broker', value: brokerName(capabilities) ?? 'none: this device cannot play the broker' },
          ...(others.length > 0 ? [{ label: 'Also', value: others.join(', ') }] : []),
          ...(capabilities.shaping
            ? [{ label: 'Impairment', value: <Shaping {...capabilities.shaping} /> }]
            : []),
          {
            label: 'Interfaces',
            value: (
              <>
                {up.map((each) => (
                  <Interface key={each.name} link={each} />
                ))}
                {down > 0 && <span className={styles.line}>{down} more that are down</span>}
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

/** What can make a link of this device worse on purpose, and why the rest cannot. */
function Shaping({ refusals }: Pick<ShapingCapability, 'refusals'>): ReactElement {
  return (
    <>
      {Object.entries(refusals).map(([driver, refusal]) => (
        <span key={driver} className={styles.line}>
          {driver} {refusal === null ? 'works' : `does not: ${refusal}`}
        </span>
      ))}
    </>
  );
}

function Interface({ link }: { link: NetworkInterface }): ReactElement {
  return (
    <span className={styles.line}>
      <span className="mono">{link.name}</span> {link.kind} <span className="mono">{link.address}</span>
    </span>
  );
}
