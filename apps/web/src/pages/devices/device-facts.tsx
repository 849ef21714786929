import type {
  AgentCapabilities,
  NetworkInterface,
  TlsCapability,
} from '@mqttlab/shared/domain/devices/capabilities';
import type { ShapingCapability } from '@mqttlab/shared/domain/plans/impairment';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { DeviceProbe } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { type Fact, Facts, FactsTable, TagList } from '../../ui/facts.tsx';
import {
  brokerName,
  compareOffers,
  describeCrypto,
  describeOffer,
  type PeerOffer,
} from './describe-device.ts';
import styles from './device-facts.module.css';

type DeviceStatus = TestbedStatus['devices'][number];

/** A device whose agent has connected once. */
export type AnnouncedDevice = DeviceStatus & { capabilities: AgentCapabilities };

/** Capabilities that the agent reported. */
export function DeviceFacts({ capabilities }: { capabilities: AgentCapabilities }): ReactElement {
  return (
    <div className={styles.facts}>
      <Facts facts={factsOf(capabilities)} />
    </div>
  );
}

/** Devices of a testbed side by side. Values that all devices share are shown once. */
export function DevicesFacts({ devices }: { devices: readonly AnnouncedDevice[] }): ReactElement {
  const factsByDevice = devices.map(({ capabilities }) => factsOf(capabilities));
  const labels = new Set(factsByDevice.flatMap((facts) => facts.map(({ label }) => label)));
  return (
    <FactsTable
      label="Facts by device"
      columns={devices.map(({ deviceId, name }) => ({ key: deviceId, label: name }))}
      rows={[...labels].map((label) => {
        const cells = factsByDevice.map((facts) => facts.find((fact) => fact.label === label));
        const [first] = cells.map((fact) => JSON.stringify(fact?.of));
        return {
          key: label,
          label,
          values: cells.map((fact) => fact?.value ?? 'none'),
          isShared: cells.every((fact) => JSON.stringify(fact?.of) === first),
        };
      })}
    />
  );
}

/** Returns a fact with its raw value, which is used to compare devices. */
function factsOf(capabilities: AgentCapabilities): (Fact & { of: unknown })[] {
  const { cpuModel, cpuCores, cpuFeatures, memoryBytes, diskFreeBytes, os, kernel } = capabilities;
  const { interfaces, shaping, agentVersion, nodeVersion } = capabilities;
  const up = interfaces.filter((each) => each.up);
  const down = interfaces.length - up.length;
  const others = capabilities.brokers.slice(1).map((broker) => `${broker.kind} ${broker.version}`);
  const text = (label: string, value: string) => ({ label, value, of: value });
  return [
    text('Processor', `${cpuCores} × ${cpuModel}`),
    {
      label: 'Cryptography',
      of: cpuFeatures,
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
    text('Memory', formatBytes(memoryBytes)),
    text('Free disk', diskFreeBytes === null ? 'not known' : formatBytes(diskFreeBytes)),
    text('System', os),
    { label: 'Kernel', of: kernel, value: <span className="mono">{kernel}</span> },
    text('Agent', `${agentVersion}, Node.js ${nodeVersion}`),
    text('Broker', brokerName(capabilities) ?? 'none: this device cannot be the broker'),
    ...(others.length > 0 ? [text('Also', others.join(', '))] : []),
    ...(shaping ? [{ label: 'Impairment', of: shaping.refusals, value: <Shaping {...shaping} /> }] : []),
    {
      label: 'Interfaces',
      of: interfaces,
      value: (
        <>
          {up.map((each) => (
            <Interface key={each.name} link={each} />
          ))}
          {down > 0 && <span className={styles.line}>{down} more that are down</span>}
        </>
      ),
    },
  ];
}

/** The tools that can impair a link of this device, and why other tools cannot. */
function Shaping({ refusals }: Pick<ShapingCapability, 'refusals'>): ReactElement {
  return (
    <>
      {Object.entries(refusals).map(([driver, refusal]) => (
        <span key={driver} className={styles.line}>
          {driver}: {refusal ?? 'works'}
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

type ProbeFactsProps = {
  probe: DeviceProbe;
  /** Capabilities reported by the agent, which are preferred; null before it first connected. */
  announced: AgentCapabilities | null;
};

/** Facts detected over SSH during installation. */
export function ProbeFacts({ probe, announced }: ProbeFactsProps): ReactElement {
  const system: Fact[] = [
    { label: 'System', value: probe.os },
    { label: 'Kernel', value: <span className="mono">{probe.kernel}</span> },
    { label: 'Memory', value: formatBytes(probe.memoryBytes) },
    { label: 'Free disk', value: formatBytes(probe.diskFreeBytes) },
    { label: 'Brokers', value: probe.brokers.join(', ') || 'only the agent’s own' },
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
    { label: 'Tools', value: listed(probe.tools, 'none that the agent can use') },
    { label: 'Sensors', value: listed(probe.sensors, 'none') },
    ...(announced?.shaping
      ? []
      : [{ label: 'Shaping', value: listed(probe.shaping, 'not tested, or not supported') }]),
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

type DeviceOffersProps = { device: AnnouncedDevice; peers: readonly DeviceStatus[] };

/**
 * TLS on this device: features that it shares with the other devices in its testbed, and features that only
 * it supports.
 */
export function DeviceOffers({ device, peers }: DeviceOffersProps): ReactElement {
  const own = tlsOf(device.role, device.capabilities);
  const others = peers.flatMap(({ name, role, capabilities }) =>
    capabilities ? [{ device: name, tls: tlsOf(role, capabilities) }] : [],
  );
  const offersOf = (of: (tls: TlsCapability) => readonly string[]) =>
    others.map(({ device: peer, tls }) => ({ device: peer, offer: of(tls) }));
  return (
    <div className={styles.offers}>
      <p className={styles.library}>{own.library}</p>
      <Offer name="Cipher suites" own={own.suites} others={offersOf(({ suites }) => suites)} />
      <Offer name="Key-exchange groups" own={own.groups} others={offersOf(({ groups }) => groups)} />
      <Offer
        name="Certificates"
        own={own.certificates}
        others={offersOf(({ certificates }) => certificates)}
      />
    </div>
  );
}

/** Returns the broker's TLS features on the broker's device, and the client's on other devices. */
function tlsOf(role: DeviceStatus['role'], capabilities: AgentCapabilities): TlsCapability {
  const [broker] = capabilities.brokers;
  return role === 'broker' && broker ? broker.tls : capabilities.tls;
}

type OfferProps = { name: string; own: readonly string[]; others: readonly PeerOffer[] };

function Offer({ name, own, others }: OfferProps): ReactElement {
  const offer = compareOffers(own, others);
  const { shared, alone } = offer;
  return (
    <details className={styles.offer}>
      <summary>
        <span>{name}</span>
        <span className={styles.count}>{describeOffer(offer)}</span>
        <IconChevronDown size={14} stroke={2} aria-hidden />
      </summary>
      <ul className={styles.names}>
        {shared.map((each) => (
          <li key={each}>{each}</li>
        ))}
        {alone.map((each) => (
          <li key={each} className={styles.alone}>
            {each} <span>not on every device</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
