import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import {
  type Icon,
  IconBroadcast,
  IconCloud,
  IconDeviceDesktopAnalytics,
  IconServer2,
  IconTransform,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { DeviceStatus } from '../../api/client.ts';
import { formatAgo, formatDateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import styles from './device-card.module.css';
import { DeviceFacts, DeviceOffers } from './device-facts.tsx';
import { lookOf, reasonWords, stateNow } from './remote/device-state.ts';

type DeviceCardProps = {
  device: DeviceStatus;
  /** The other devices of its testbed. */
  peers: readonly DeviceStatus[];
  /** Its facts stand beside those of the others, below. */
  isCompared: boolean;
  /** undefined while it is not known. */
  known: KnownDevice | undefined;
  nowMs: number;
};

const roleIcons: Readonly<Record<DeviceStatus['role'], Icon>> = {
  broker: IconServer2,
  publisher: IconBroadcast,
  bridge: IconTransform,
  'cloud-broker': IconCloud,
  subscriber: IconDeviceDesktopAnalytics,
};

export function DeviceCard({ device, peers, isCompared, known, nowMs }: DeviceCardProps): ReactElement {
  const { name, role, online, standby = false, capabilities } = device;
  const RoleIcon = roleIcons[role];
  const look = lookOf(stateNow(online, known));
  return (
    <Panel
      flush
      title={
        <Link className="link" to={`/devices/${device.deviceId}`}>
          {name}
        </Link>
      }
      subtitle={name.includes(role) ? undefined : role}
      mark={<RoleIcon className={styles.icon} size={16} stroke={2} aria-hidden />}
      actions={
        <span className={styles.state}>
          <StatusLine kind={standby ? 'queued' : look.kind}>{standby ? 'On standby' : look.word}</StatusLine>
        </span>
      }
    >
      <div className={styles.body}>
        {online && known && known.reasons.length > 0 && <p>{reasonWords(known.reasons)}</p>}
        {capabilities ? (
          <>
            {!isCompared && <DeviceFacts capabilities={capabilities} />}
            <DeviceOffers device={{ ...device, capabilities }} peers={peers} />
          </>
        ) : (
          <p className={styles.nothing}>
            Its agent has not connected yet, so nothing is known about it. The built-in agents start with the
            server; if this lasts, see the server’s log.
          </p>
        )}
        <p className={styles.contact}>
          {standby
            ? 'Its agent starts when a run first needs it.'
            : contactWords(online, known?.lastSeenAt, nowMs)}
        </p>
      </div>
    </Panel>
  );
}

function contactWords(online: boolean, lastSeenAt: number | null | undefined, nowMs: number): string {
  if (lastSeenAt === undefined) return online ? 'Connected now' : 'Last connection unknown';
  if (lastSeenAt === null) return 'Never connected';
  if (online) return `Connected, last message ${formatDateTime(lastSeenAt, nowMs)}`;
  const ago = formatAgo(lastSeenAt, nowMs);
  return `Last connected ${formatDateTime(lastSeenAt, nowMs)}, ${ago === 'now' ? 'just now' : `${ago} ago`}`;
}
