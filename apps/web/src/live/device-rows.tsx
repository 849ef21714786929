import { formatFixed, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import type { ReactElement } from 'react';
import { Sparkline } from '../charts/sparkline.tsx';
import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';
import styles from './device-rows.module.css';
import { roleNames, rolesThatTell } from './role-names.ts';

export type DeviceRowsProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  warmUpMs: number;
  measureMs: number;
};

/** For phones: each device's CPU as a small line, with its memory. */
export function DeviceRows(props: DeviceRowsProps): ReactElement {
  const { current, treatment, warmUpMs, measureMs } = props;
  const highest = Math.max(1, ...current.progress.flatMap((frame) => frame.cpuPercent ?? []));
  return (
    <table className={styles.devices}>
      <thead>
        <tr>
          <th scope="col">Device</th>
          <th scope="col" colSpan={2}>
            MQTT process CPU
          </th>
          <th scope="col">Memory</th>
        </tr>
      </thead>
      <tbody>
        {rolesThatTell(current.progress).map((role) => {
          const frames = current.progress.filter((frame) => frame.role === role);
          const values = frames.flatMap((frame) => frame.cpuPercent ?? []);
          const last = frames.at(-1);
          const cpu = last?.cpuPercent ?? null;
          const memory = last?.residentBytes ?? null;
          return (
            <tr key={role}>
              <th scope="row">{roleNames[role]}</th>
              <td>
                <Sparkline
                  label={`CPU of the ${role}, last ${values.length} s`}
                  treatmentIndex={treatment.index}
                  values={values}
                  range={[0, highest]}
                  capacity={Math.round((warmUpMs + measureMs) / 1000)}
                  widthPx={120}
                />
              </td>
              <td className={styles.strong}>{cpu === null ? NO_VALUE : `${formatFixed(cpu, 1)} %`}</td>
              <td>{memory === null ? NO_VALUE : formatBytes(memory)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
