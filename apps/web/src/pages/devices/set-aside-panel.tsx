import { Anchor } from '@mantine/core';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';
import type { KnownDevice } from '../../api/client.ts';
import { formatDateTime } from '../../ui/format/time.ts';
import { Panel } from '../../ui/panel.tsx';
import { useNow } from '../experiments/use-now.ts';
import styles from './set-aside-panel.module.css';

type SetAsidePanelProps = { device: Pick<KnownDevice, 'id' | 'name' | 'online' | 'setAside'> };

/** Results that the server refused: why, and each to be saved. Nothing where there are none. */
export function SetAsidePanel({ device }: SetAsidePanelProps): ReactElement | null {
  const { id, name, online, setAside } = device;
  const nowMs = useNow();
  if (setAside.length === 0) return null;
  return (
    <Panel title="Refused results" subtitle={`${setAside.length} set aside`} padded>
      <p className={styles.words}>
        This server could not take them. They are kept on {name} and are not sent again; runs go on as usual.
        {!online && ' They can be saved once the device is online.'}
      </p>
      <ul className={styles.results}>
        {setAside.toReversed().map((result) => (
          <li key={result.name}>
            {online ? (
              <Anchor href={`/api/v1/devices/${encodeURIComponent(id)}/set-aside/${result.name}`} download>
                Save {result.key}
              </Anchor>
            ) : (
              <b>{result.key}</b>
            )}{' '}
            ({formatBytes(result.bytes)}, {formatDateTime(result.refusedAt, nowMs)}): {result.reason}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
