import type { AgentCapabilities, TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { DeviceStatus } from '../../api/client.ts';
import { compareOffers } from './describe-device.ts';
import styles from './device-offers.module.css';

type DeviceOffersProps = {
  device: DeviceStatus & { capabilities: AgentCapabilities };
  peers: readonly DeviceStatus[];
};

/** TLS on this device: what it shares with the others of its testbed, and what it offers alone. */
export function DeviceOffers({ device, peers }: DeviceOffersProps): ReactElement {
  const own = tlsOf(device.role, device.capabilities);
  const others = peers.flatMap(({ role, capabilities }) => (capabilities ? [tlsOf(role, capabilities)] : []));
  return (
    <div className={styles.offers}>
      <p className={styles.library}>{own.library}</p>
      <Offer name="Cipher suites" own={own.suites} others={others.map((tls) => tls.suites)} />
      <Offer name="Key-exchange groups" own={own.groups} others={others.map((tls) => tls.groups)} />
      <Offer name="Certificates" own={own.certificates} others={others.map((tls) => tls.certificates)} />
    </div>
  );
}

/** The broker's TLS on the device that plays it, the client's on the others. */
function tlsOf(role: DeviceStatus['role'], capabilities: AgentCapabilities): TlsCapability {
  const [broker] = capabilities.brokers;
  return role === 'broker' && broker ? broker.tls : capabilities.tls;
}

type OfferProps = { name: string; own: readonly string[]; others: readonly (readonly string[])[] };

function Offer({ name, own, others }: OfferProps): ReactElement {
  const { shared, alone } = compareOffers(own, others);
  return (
    <details className={styles.offer}>
      <summary>
        <span>{name}</span>
        <span className={styles.count}>
          {shared.length} with all devices{alone.length > 0 && `, ${alone.length} not with all`}
        </span>
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
